import {
  CreateLogGroupCommand,
  CreateLogStreamCommand,
  DescribeLogGroupsCommand,
  DescribeLogStreamsCommand,
  FilterLogEventsCommand,
  GetLogEventsCommand,
  type GetLogEventsCommandInput,
  type GetLogEventsCommandOutput,
  PutLogEventsCommand,
} from '@aws-sdk/client-cloudwatch-logs';
import { describe, expect, it } from 'vitest';
import { awslogs, executionRoleArn, refusal, scripted, startUpMs, startWorld, type World } from './harness.ts';

const start = Date.UTC(2030, 0, 1);

const withStream = async (): Promise<World> => {
  const world = await startWorld();
  await world.logs.send(new CreateLogGroupCommand({ logGroupName: 'pods' }));
  await world.logs.send(new CreateLogStreamCommand({ logGroupName: 'pods', logStreamName: 'a' }));
  return world;
};

const put = async ({ logs }: World, messages: readonly string[], from = start): Promise<void> => {
  const logEvents = messages.map((message, index) => ({ timestamp: from + index, message }));
  await logs.send(new PutLogEventsCommand({ logGroupName: 'pods', logStreamName: 'a', logEvents }));
};

const get = async (
  { logs }: World,
  options: Partial<GetLogEventsCommandInput> = {},
): Promise<GetLogEventsCommandOutput> =>
  logs.send(new GetLogEventsCommand({ logGroupName: 'pods', logStreamName: 'a', ...options }));

const texts = ({ events }: GetLogEventsCommandOutput): readonly (string | undefined)[] =>
  (events ?? []).map(({ message }) => message);

describe('GetLogEvents', () => {
  it('gives the newest page unless asked for the head', async () => {
    const world = await withStream();
    await put(world, ['1', '2', '3', '4', '5']);
    expect(texts(await get(world, { limit: 2 }))).toEqual(['4', '5']);
    expect(texts(await get(world, { limit: 2, startFromHead: true }))).toEqual(['1', '2']);
  });

  it('walks forward until the token repeats, and goes on when more has come', async () => {
    const world = await withStream();
    await put(world, ['1', '2', '3']);
    const first = await get(world, { limit: 2, startFromHead: true });
    const second = await get(world, { limit: 2, startFromHead: true, nextToken: first.nextForwardToken });
    const third = await get(world, { limit: 2, startFromHead: true, nextToken: second.nextForwardToken });
    await put(world, ['4'], start + 10);
    const fourth = await get(world, { limit: 2, startFromHead: true, nextToken: third.nextForwardToken });
    expect([first, second, third, fourth].map(texts)).toEqual([['1', '2'], ['3'], [], ['4']]);
    expect(second.nextForwardToken).not.toBe(first.nextForwardToken);
    expect(third.nextForwardToken).toBe(second.nextForwardToken);
  });

  it('walks backward from the newest page', async () => {
    const world = await withStream();
    await put(world, ['1', '2', '3', '4', '5']);
    const newest = await get(world, { limit: 2 });
    const before = await get(world, { limit: 2, nextToken: newest.nextBackwardToken });
    const oldest = await get(world, { limit: 2, nextToken: before.nextBackwardToken });
    const end = await get(world, { limit: 2, nextToken: oldest.nextBackwardToken });
    expect([newest, before, oldest, end].map(texts)).toEqual([['4', '5'], ['2', '3'], ['1'], []]);
    expect(end.nextBackwardToken).toBe(oldest.nextBackwardToken);
  });

  it('can answer an empty page with a new token before the end', async () => {
    const world = await withStream();
    await put(world, ['1', '2', '3', '4']);
    const first = await get(world, { limit: 2, startFromHead: true });
    world.aws.faults.inject({ kind: 'empty-log-pages', count: 1 });
    const empty = await get(world, { limit: 2, startFromHead: true, nextToken: first.nextForwardToken });
    const rest = await get(world, { limit: 2, startFromHead: true, nextToken: empty.nextForwardToken });
    expect([texts(empty), texts(rest)]).toEqual([[], ['3', '4']]);
    expect(empty.nextForwardToken).not.toBe(first.nextForwardToken);
  });

  it('includes startTime and excludes endTime', async () => {
    const world = await withStream();
    await put(world, ['1', '2', '3', '4']);
    expect(texts(await get(world, { startTime: start + 1, endTime: start + 3 }))).toEqual(['2', '3']);
  });

  it('keeps the order of ingestion for equal timestamps', async () => {
    const world = await withStream();
    await put(world, ['a'], start + 5);
    await put(world, ['b'], start + 5);
    await put(world, ['early'], start);
    expect(texts(await get(world))).toEqual(['early', 'a', 'b']);
  });

  it('gives at most one megabyte a page', async () => {
    const world = await withStream();
    for (const part of [0, 1, 2]) await put(world, [`${part}`.repeat(400_000)], start + part);
    expect((await get(world, { startFromHead: true })).events).toHaveLength(2);
  });

  it.each<{ want: string; options: Partial<GetLogEventsCommandInput>; error: string }>([
    {
      want: 'an unknown group',
      options: { logGroupName: 'nobody' },
      error: 'ResourceNotFoundException: The specified log group does not exist.',
    },
    {
      want: 'an unknown stream',
      options: { logStreamName: 'nobody' },
      error: 'ResourceNotFoundException: The specified log stream does not exist.',
    },
    {
      want: 'more than 10,000 events',
      options: { limit: 10_001 },
      error: "InvalidParameterException: Value at 'limit' must be between 1 and 10000",
    },
    {
      want: 'a made-up token',
      options: { nextToken: 'f/1/s' },
      error: 'InvalidParameterException: The specified nextToken is invalid.',
    },
  ])('refuses $want', async ({ options, error }) => {
    expect(await refusal(get(await withStream(), options))).toBe(error);
  });

  it('refuses to walk forward without startFromHead, and a token of yesterday', async () => {
    const world = await withStream();
    await put(world, ['1']);
    const { nextForwardToken, nextBackwardToken } = await get(world);
    expect(await refusal(get(world, { nextToken: nextForwardToken }))).toBe(
      'InvalidParameterException: A nextForwardToken needs startFromHead: true.',
    );
    await world.clock.advance(86_400_000);
    expect(await refusal(get(world, { nextToken: nextBackwardToken }))).toBe(
      'InvalidParameterException: The specified nextToken has expired.',
    );
  });
});

describe('the other actions', () => {
  it('refuses events out of order and leaves out what is too old', async () => {
    const world = await withStream();
    const send = (offsets: readonly number[]): Promise<{ rejectedLogEventsInfo?: unknown }> =>
      world.logs.send(
        new PutLogEventsCommand({
          logGroupName: 'pods',
          logStreamName: 'a',
          logEvents: offsets.map((offset) => ({ timestamp: start + offset, message: `${offset}` })),
        }),
      );
    expect(await refusal(send([1, 0]))).toBe(
      'InvalidParameterException: Log events in a single PutLogEvents request must be in chronological order.',
    );
    expect((await send([-15 * 86_400_000])).rejectedLogEventsInfo).toEqual({ tooOldLogEventEndIndex: 1 });
  });

  it('filters over streams by time and terms', async () => {
    const world = await withStream();
    await put(world, ['error: one', 'fine', 'error: two']);
    const filter = async (options: object): Promise<readonly (string | undefined)[]> =>
      ((await world.logs.send(new FilterLogEventsCommand({ logGroupName: 'pods', ...options }))).events ?? []).map(
        ({ message }) => message,
      );
    expect(await filter({ filterPattern: 'error -two' })).toEqual(['error: one']);
    expect(await filter({ filterPattern: '"error: two"' })).toEqual(['error: two']);
    expect(await filter({ startFromHead: false, startTime: start, limit: 1 })).toEqual(['error: two']);
    expect(await filter({ logStreamNames: ['nobody'] })).toEqual([]);
  });

  it('lists groups and streams', async () => {
    const { logs } = await withStream();
    const groups = await logs.send(new DescribeLogGroupsCommand({ logGroupNamePrefix: 'po' }));
    const streams = await logs.send(new DescribeLogStreamsCommand({ logGroupName: 'pods' }));
    expect(groups.logGroups?.map(({ logGroupName }) => logGroupName)).toEqual(['pods']);
    expect(streams.logStreams?.map(({ logStreamName }) => logStreamName)).toEqual(['a']);
    expect(await refusal(logs.send(new CreateLogGroupCommand({ logGroupName: 'pods' })))).toBe(
      'ResourceAlreadyExistsException: The specified log group already exists',
    );
  });
});

describe('the awslogs driver', () => {
  it('writes to prefix/container/task id; lines can be read after the ingestion delay', async () => {
    const world = await startWorld();
    await world.logs.send(new CreateLogGroupCommand({ logGroupName: 'pods' }));
    await world.register({
      executionRoleArn,
      containerDefinitions: [scripted('app', 'log hello; run 1s; log bye; exit 0', { logConfiguration: awslogs })],
    });
    const arn = await world.run();
    const logStreamName = `svk/app/${arn.split('/').at(-1)}`;
    expect(await refusal(get(world, { logStreamName }))).toMatch(/^ResourceNotFoundException/);
    await world.clock.advance(startUpMs);
    expect(texts(await get(world, { logStreamName }))).toEqual([]);
    await world.clock.advance(300);
    expect(texts(await get(world, { logStreamName }))).toEqual(['hello']);
    await world.clock.advance(1000);
    const all = await get(world, { logStreamName });
    expect(all.events).toEqual([
      { timestamp: start + 3500, message: 'hello', ingestionTime: start + 3800 },
      { timestamp: start + 4500, message: 'bye', ingestionTime: start + 4800 },
    ]);
  });
});
