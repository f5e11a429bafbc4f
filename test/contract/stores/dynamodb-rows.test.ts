import { GetCommand, PutCommand } from '@aws-sdk/lib-dynamodb';
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { createDynamoClient } from '../../../src/adapters/dynamodb/client.ts';
import { DynamoNodeStore } from '../../../src/adapters/dynamodb/node-store.ts';
import { DynamoPodStore } from '../../../src/adapters/dynamodb/pod-store.ts';
import { DynamoResourceStore } from '../../../src/adapters/dynamodb/resource-store.ts';
import { Table } from '../../../src/adapters/dynamodb/table.ts';
import { PermanentError } from '../../../src/core/errors.ts';
import { FakeClock } from '../../fakes/clock.ts';
import { startDynalite } from './dynalite-server.ts';
import { type Tables, tablesOn } from './dynamodb-tables.ts';
import { claimed, MINUTE, NOW, wakeOf, workloadOf } from './samples.ts';

const EMPTY = { attempts: [], restarts: {} };

let tables: Tables;
let stop: () => Promise<void>;

beforeAll(async () => {
  const server = await startDynalite();
  tables = tablesOn(server.url);
  stop = async () => {
    tables.close();
    await server.close();
  };
});
afterAll(() => stop());

let made: Awaited<ReturnType<Tables['make']>>;
let pods: DynamoPodStore;

beforeEach(async () => {
  made = await tables.make();
  pods = new DynamoPodStore({ table: made.table, clock: new FakeClock(NOW), cluster: 'dev' });
});

/** The operations `work` sends. */
const callsOf = async (work: () => Promise<unknown>): Promise<readonly string[]> => {
  made.calls.length = 0;
  await work();
  return made.calls.map((name) => name.replace('Command', ''));
};

const put = async (item: Record<string, unknown>): Promise<void> =>
  void (await made.client.send(new PutCommand({ TableName: made.table.name, Item: item })));

describe('requests of the pod store', () => {
  it('are one write for each step of an undisturbed reconcile', async () => {
    expect(await callsOf(() => pods.wake(wakeOf('a1')))).toEqual(['Update']);
    expect(await callsOf(() => pods.claim('a1', { id: 'one', now: NOW, until: NOW + MINUTE }))).toEqual(['Update']);
    expect(await callsOf(() => pods.save('a1', 'one', { state: EMPTY }))).toEqual(['Update']);
    const release = () => pods.release('a1', 'one', { state: EMPTY, renewUntil: NOW });
    expect(await callsOf(release)).toEqual(['Update']);
    expect(await callsOf(() => pods.observe(workloadOf('a1')))).toEqual(['Update']);
    await pods.claim('a1', { id: 'one', now: NOW, until: NOW + MINUTE });
    expect(await callsOf(() => pods.forget('a1', 'one', { renewUntil: NOW }))).toEqual(['Delete']);
  });

  it('are one write more where a wake came in between', async () => {
    await claimed(pods, 'a1');
    await pods.wake(wakeOf('a1'));
    const release = () => pods.release('a1', 'one', { state: EMPTY, renewUntil: NOW });
    expect(await callsOf(release)).toEqual(['Update', 'Update']);
  });

  it('are one for a claim that is refused', async () => {
    await claimed(pods, 'a1');
    expect(await callsOf(() => pods.claim('a1', { id: 'two', now: NOW, until: NOW + MINUTE }))).toEqual(['Update']);
  });

  it('are one write and one read for an observation that is not newer', async () => {
    await claimed(pods, 'a1');
    await pods.observe(workloadOf('a1'));
    expect(await callsOf(() => pods.observe(workloadOf('a1')))).toEqual(['Update', 'Get']);
  });

  it('are four queries for the known pods, one for the timers and one write for each due pod', async () => {
    await claimed(pods, 'a1');
    expect(await callsOf(() => pods.knownPods('fargate'))).toEqual(Array.from({ length: 4 }, () => 'Query'));
    const take = () => pods.takeDue({ now: NOW + MINUTE, until: NOW + 2 * MINUTE, limit: 10 });
    expect(await callsOf(take)).toEqual(['Query', 'Update']);
    expect(await callsOf(take)).toEqual(['Query']);
  });
});

describe('a row in a partition of older code', () => {
  it('is listed again as soon as somebody sees its pod', async () => {
    await claimed(pods, 'a1');
    await pods.release('a1', 'one', { state: EMPTY, resourceVersion: '42', renewUntil: NOW });
    const { Item } = await made.client.send(new GetCommand({ TableName: made.table.name, Key: { pk: 'POD#a1' } }));
    await put({ ...Item, kpPk: 'NODE#dev#fargate#a' });
    expect(await pods.knownPods('fargate')).toEqual([]);
    await pods.wake(wakeOf('a1', { reason: 'resync' }));
    expect(await pods.knownPods('fargate')).toMatchObject([{ pod: { uid: 'a1' }, resourceVersion: '42' }]);
  });
});

describe('a row of a newer layout', () => {
  beforeEach(async () => {
    await claimed(pods, 'a1');
    await pods.release('a1', 'one', { state: EMPTY, renewUntil: NOW });
    const { Item } = await made.client.send(new GetCommand({ TableName: made.table.name, Key: { pk: 'POD#a1' } }));
    await put({ ...Item, schemaVersion: 2 });
  });

  const refusal = 'row POD#a1 has schemaVersion 2, this code knows 1: deploy the newer version everywhere';

  it('is refused by whatever comes first', async () => {
    await expect(pods.wake(wakeOf('a1'))).rejects.toThrow(refusal);
    await expect(pods.observe(workloadOf('a1'))).rejects.toThrow(refusal);
    await expect(pods.get('a1')).rejects.toBeInstanceOf(PermanentError);
  });

  it('is never claimed', async () => {
    expect(await pods.claim('a1', { id: 'two', now: NOW, until: NOW + MINUTE })).toBeUndefined();
  });

  it('of a node is refused, too', async () => {
    const nodes = new DynamoNodeStore({ table: made.table, cluster: 'dev' });
    await put({ pk: 'NODE#dev#fargate', schemaVersion: 2 });
    await expect(nodes.get('fargate')).rejects.toBeInstanceOf(PermanentError);
    await expect(nodes.put('fargate', { adoptedAt: 1 })).rejects.toBeInstanceOf(PermanentError);
  });
});

describe('an expired row', () => {
  beforeEach(async () => {
    await claimed(pods, 'a1');
    await pods.release('a1', 'one', { state: EMPTY, nextCheckAt: NOW, renewUntil: NOW });
    const { Item } = await made.client.send(new GetCommand({ TableName: made.table.name, Key: { pk: 'POD#a1' } }));
    await put({ ...Item, ttl: NOW / 1000 });
  });

  it('is not there any more, though DynamoDB has not removed it yet', async () => {
    expect(await pods.get('a1')).toBeUndefined();
    expect(await pods.takeDue({ now: NOW, until: NOW + MINUTE, limit: 10 })).toEqual([]);
    expect(await pods.wake(wakeOf('a1', { reason: 'timer' }))).toBe('unknown');
    expect(await pods.observe(workloadOf('a1'))).toBeUndefined();
    expect(await pods.claim('a1', { id: 'two', now: NOW, until: NOW + MINUTE })).toBeUndefined();
  });

  it('lives on where somebody sees its pod', async () => {
    expect(await pods.wake(wakeOf('a1', { reason: 'resync' }))).toBe('wanted');
    expect((await pods.get('a1'))?.wanted).toBe(2);
  });
});

describe('a row that is not ours', () => {
  it.each([
    [
      'without a state',
      {
        pk: 'POD#a1',
        pod: { namespace: 'default', name: 'a', uid: 'a1' },
        node: 'n',
        wanted: 1,
        seen: 1,
        observations: {},
      },
    ],
    [
      'with a state that is no JSON',
      {
        pk: 'POD#a1',
        pod: { namespace: 'default', name: 'a', uid: 'a1' },
        node: 'n',
        wanted: 1,
        seen: 1,
        observations: {},
        state: '{',
      },
    ],
    [
      'with a state of another shape',
      {
        pk: 'POD#a1',
        pod: { namespace: 'default', name: 'a', uid: 'a1' },
        node: 'n',
        wanted: 1,
        seen: 1,
        observations: {},
        state: '[]',
      },
    ],
  ])('is named: %s', async (_what, item) => {
    await put(item);
    await expect(pods.get('a1')).rejects.toThrow('row POD#a1 is not one of ours');
  });
});

describe('a scan for unused resources', () => {
  it('reads page after page', async () => {
    const resources = new DynamoResourceStore({ table: made.table });
    const padding = 'x'.repeat(300_000);
    await Promise.all([1, 2, 3, 4, 5].map((n) => put({ pk: `TASKDEF#${n}`, value: 'v', usedAt: n, padding })));
    const keys: string[] = [];
    made.calls.length = 0;
    for await (const { key } of resources.unused('TASKDEF#', 5)) keys.push(key);
    expect(keys.sort()).toEqual(['TASKDEF#1', 'TASKDEF#2', 'TASKDEF#3', 'TASKDEF#4']);
    expect(made.calls.length).toBeGreaterThan(1);
  });
});

describe('the client of the deployment', () => {
  it('reads and writes', async () => {
    vi.stubEnv('AWS_ACCESS_KEY_ID', 'local');
    vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
    const client = createDynamoClient({ region: 'eu-west-1', endpoint: tables.url });
    const store = new DynamoPodStore({
      table: new Table(client, made.table.name),
      clock: new FakeClock(NOW),
      cluster: 'dev',
    });
    await claimed(store, 'a1');
    await store.save('a1', 'one', { state: { ...EMPTY, restarts: { app: 1 } } });
    expect((await store.get('a1'))?.state).toEqual({ attempts: [], restarts: { app: 1 } });
    client.destroy();
    vi.unstubAllEnvs();
  });
});
