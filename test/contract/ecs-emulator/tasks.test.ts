import {
  DescribeTasksCommand,
  ListTagsForResourceCommand,
  ListTasksCommand,
  StopTaskCommand,
  TagResourceCommand,
  UntagResourceCommand,
} from '@aws-sdk/client-ecs';
import { describe, expect, it } from 'vitest';
import { refusal, startUpMs, startWorld } from './harness.ts';

const unknownArn = 'arn:aws:ecs:eu-central-1:123456789012:task/pods/00000000000000000000000000000000';

describe('DescribeTasks', () => {
  it('calls unknown tasks MISSING', async () => {
    const { ecs } = await startWorld();
    const answer = await ecs.send(
      new DescribeTasksCommand({ cluster: 'pods', tasks: [unknownArn, '11111111111111111111111111111111'] }),
    );
    expect(answer.tasks).toEqual([]);
    expect(answer.failures).toEqual([
      { arn: unknownArn, reason: 'MISSING' },
      { arn: unknownArn.replaceAll('00000000000000000000000000000000', '1'.repeat(32)), reason: 'MISSING' },
    ]);
  });

  it.each([
    { want: 'no task', tasks: [], error: 'InvalidParameterException: Tasks cannot be empty.' },
    {
      want: '101 tasks',
      tasks: Array.from({ length: 101 }, () => unknownArn),
      error: 'InvalidParameterException: Tasks cannot exceed 100 elements.',
    },
    {
      want: 'something that is no id',
      tasks: ['web-1'],
      error: 'InvalidParameterException: taskId length should be one of [32,36]',
    },
  ])('refuses $want', async ({ tasks, error }) => {
    const { ecs } = await startWorld();
    expect(await refusal(ecs.send(new DescribeTasksCommand({ cluster: 'pods', tasks })))).toBe(error);
  });

  it('shows tags only when asked', async () => {
    const { ecs, register, run } = await startWorld();
    await register();
    const arn = await run({ tags: [{ key: 'a', value: '1' }] });
    const without = await ecs.send(new DescribeTasksCommand({ cluster: 'pods', tasks: [arn] }));
    const withTags = await ecs.send(new DescribeTasksCommand({ cluster: 'pods', tasks: [arn], include: ['TAGS'] }));
    expect([without.tasks?.[0]?.tags, withTags.tasks?.[0]?.tags]).toEqual([[], [{ key: 'a', value: '1' }]]);
  });

  it('forgets a task one hour after it stopped', async () => {
    const { ecs, clock, register, run, task } = await startWorld();
    await register();
    const arn = await run();
    await clock.advance(startUpMs);
    await ecs.send(new StopTaskCommand({ cluster: 'pods', task: arn }));
    await clock.advance(3_600_000);
    expect((await task(arn)).lastStatus).toBe('STOPPED');
    await clock.advance(2000);
    const answer = await ecs.send(new DescribeTasksCommand({ cluster: 'pods', tasks: [arn] }));
    expect(answer.failures).toEqual([{ arn, reason: 'MISSING' }]);
  });
});

describe('ListTasks', () => {
  it('filters by startedBy, family and desired status', async () => {
    const { ecs, register, run } = await startWorld();
    await register();
    await register({ family: 'db' });
    const web = await run({ startedBy: 'svk/a' });
    const db = await run({ taskDefinition: 'db', startedBy: 'svk/b' });
    await ecs.send(new StopTaskCommand({ cluster: 'pods', task: db }));
    const list = async (filter: object): Promise<readonly string[] | undefined> =>
      (await ecs.send(new ListTasksCommand({ cluster: 'pods', ...filter }))).taskArns;
    expect(await list({})).toEqual([web]);
    expect(await list({ desiredStatus: 'STOPPED' })).toEqual([db]);
    expect(await list({ desiredStatus: 'PENDING' })).toEqual([]);
    expect(await list({ startedBy: 'svk/a' })).toEqual([web]);
    expect(await list({ startedBy: 'svk/b' })).toEqual([]);
    expect(await list({ startedBy: 'svk/b', desiredStatus: 'STOPPED' })).toEqual([db]);
    expect(await list({ family: 'web' })).toEqual([web]);
    expect(await list({ family: 'we' })).toEqual([]);
  });

  it('refuses startedBy beside another filter', async () => {
    const { ecs } = await startWorld();
    expect(await refusal(ecs.send(new ListTasksCommand({ cluster: 'pods', startedBy: 'a', family: 'web' })))).toBe(
      'InvalidParameterException: startedBy must be the only filter: it cannot be combined with other filters.',
    );
  });

  it('pages', async () => {
    const { ecs, register, run } = await startWorld();
    await register();
    const arns = [await run(), await run(), await run()];
    const first = await ecs.send(new ListTasksCommand({ cluster: 'pods', maxResults: 2 }));
    const rest = await ecs.send(new ListTasksCommand({ cluster: 'pods', maxResults: 2, nextToken: first.nextToken }));
    expect([first.taskArns, rest.taskArns, rest.nextToken]).toEqual([arns.slice(0, 2), arns.slice(2), undefined]);
    expect(await refusal(ecs.send(new ListTasksCommand({ cluster: 'pods', nextToken: 'made-up' })))).toBe(
      'InvalidParameterException: Invalid token.',
    );
  });
});

describe('StopTask', () => {
  it('answers at once with the desired status and the reason, and the first reason stays', async () => {
    const { ecs, clock, register, run, task } = await startWorld();
    await register();
    const arn = await run();
    await clock.advance(startUpMs);
    const first = await ecs.send(new StopTaskCommand({ cluster: 'pods', task: arn, reason: 'pod deleted' }));
    const second = await ecs.send(new StopTaskCommand({ cluster: 'pods', task: arn, reason: 'again' }));
    await clock.advance(10_000);
    const third = await ecs.send(new StopTaskCommand({ cluster: 'pods', task: arn, reason: 'and again' }));
    expect(first.task).toMatchObject({ desiredStatus: 'STOPPED', stoppedReason: 'pod deleted' });
    expect(second.task?.stoppedReason).toBe('pod deleted');
    expect(third.task).toMatchObject({ lastStatus: 'STOPPED', stoppedReason: 'pod deleted' });
    expect(await task(arn)).toMatchObject({ stopCode: 'UserInitiated', stoppedReason: 'pod deleted' });
  });

  it('says "Task stopped by user" where no reason is given', async () => {
    const { ecs, register, run } = await startWorld();
    await register();
    const { task } = await ecs.send(new StopTaskCommand({ cluster: 'pods', task: await run() }));
    expect(task?.stoppedReason).toBe('Task stopped by user');
  });

  it('deletes the tags', async () => {
    const { ecs, register, run, task } = await startWorld();
    await register();
    const arn = await run({ tags: [{ key: 'pod-uid', value: '1' }] });
    await ecs.send(new StopTaskCommand({ cluster: 'pods', task: arn }));
    expect((await task(arn)).tags).toEqual([]);
  });

  it('does not know an unknown task', async () => {
    const { ecs } = await startWorld();
    expect(await refusal(ecs.send(new StopTaskCommand({ cluster: 'pods', task: unknownArn })))).toBe(
      'InvalidParameterException: The referenced task was not found.',
    );
  });
});

describe('tags', () => {
  it('adds, replaces, lists and removes tags', async () => {
    const { ecs, register, run } = await startWorld();
    await register();
    const resourceArn = await run({ tags: [{ key: 'a', value: '1' }] });
    await ecs.send(
      new TagResourceCommand({
        resourceArn,
        tags: [
          { key: 'a', value: '2' },
          { key: 'b', value: '3' },
        ],
      }),
    );
    await ecs.send(new UntagResourceCommand({ resourceArn, tagKeys: ['b'] }));
    expect((await ecs.send(new ListTagsForResourceCommand({ resourceArn }))).tags).toEqual([{ key: 'a', value: '2' }]);
  });
});
