import { expect, it } from 'vitest';
import { TransientError } from '../../../src/core/errors.ts';
import { NodeWorld } from './node-world.ts';

it('renews every 10 s over a minute without reading first', async () => {
  const world = new NodeWorld();
  await world.scheduled();
  world.kubernetes.clearCalls();
  await world.run(60, { schedule: () => false });

  expect(world.renewals()).toEqual(['00:10', '00:20', '00:30', '00:40', '00:50', '01:00']);
  expect(world.kubernetes.calls.map(({ method }) => method)).toEqual(Array(6).fill('leases.renew'));
  expect(world.timersStarted).toBe(6);
});

it('costs seven renewals, two reads and one status patch a minute where every call has an instance of its own', async () => {
  const world = new NodeWorld();
  await world.run(60);
  world.kubernetes.clearCalls();
  await world.run(60);

  const counts = Map.groupBy(world.kubernetes.calls, ({ method }) => method);
  expect(Object.fromEntries([...counts].map(([method, calls]) => [method, calls.length]))).toEqual({
    'leases.get': 1,
    'leases.renew': 7,
    'nodes.get': 1,
    'cluster.version': 1,
    'nodes.patchStatus': 1,
  });
});

it('stays below 20 s when two runs of the schedule are lost', async () => {
  const world = new NodeWorld();
  await world.run(60);
  await world.run(180, { schedule: (minute) => minute === 2 });

  expect(world.oldestLease.get('fargate')).toBeLessThanOrEqual(11);
  expect(world.failures).toEqual([]);
});

it.each([['beats'], ['pods']] as const)('keeps a rhythm of 20 s when the %s queue is stuck', async (queue) => {
  const world = new NodeWorld();
  await world.run(300, { stuck: [queue] });

  expect(world.oldestLease.get('fargate')).toBeLessThanOrEqual(21);
  expect(world.logs.filter(({ message }) => message === 'beats do not arrive')).toEqual([]);
});

it('beats by itself, minute after minute, when both queues are stuck', async () => {
  const world = new NodeWorld();
  await world.run(60, { stuck: ['beats', 'pods'] });
  world.oldestLease.clear();
  world.kubernetes.clearCalls();
  await world.run(60, { stuck: ['beats', 'pods'] });
  expect(world.renewals()).toEqual(['01:00', '01:10', '01:20', '01:30', '01:40', '01:50']);

  world.oldestLease.clear();
  await world.run(240, { stuck: ['beats', 'pods'] });
  expect(world.oldestLease.get('fargate')).toBeLessThanOrEqual(11);
  expect(world.logs.some(({ level, message }) => level === 'error' && message === 'beats do not arrive')).toBe(true);
});

it('stops beating by itself once beats arrive again', async () => {
  const world = new NodeWorld();
  await world.run(180, { stuck: ['beats', 'pods'] });
  await world.run(120);
  world.logs.length = 0;
  await world.run(60);
  expect(world.logs.filter(({ level }) => level === 'error')).toEqual([]);
});

it('sends a beat once, however often the schedule fires', async () => {
  const world = new NodeWorld();
  await world.run(240);

  const slots = [...world.beatsQueue.sent, ...world.podQueue.sent].map(({ message }) =>
    message.kind === 'beat' ? (message.slot - Date.parse('2030-01-01T00:00:00Z')) / 1_000 : Number.NaN,
  );
  expect(slots.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 36 }, (_, index) => (index + 1) * 10));
});

it('sends the beats again when a queue refused them', async () => {
  const world = new NodeWorld();
  world.podQueue.before = () => {
    throw new TransientError('SQS is unavailable');
  };
  await world.scheduled();
  expect(world.errors()).toEqual(['SQS is unavailable']);

  world.podQueue.before = undefined;
  await world.run(60);
  expect(world.podQueue.sent.length).toBeGreaterThanOrEqual(9);
  expect(world.renewals().length).toBeGreaterThanOrEqual(5);
});

it('makes the lease anew with the next beat when somebody deleted it', async () => {
  const world = new NodeWorld();
  await world.run(60);
  world.kubernetes.deleteLease('fargate');
  await world.run(12, { schedule: () => false });

  expect(world.kubernetes.findLease('fargate')?.spec?.renewTime).toBe('2030-01-01T00:01:10.000000Z');
  expect(world.kubernetes.count('nodes.create')).toBe(1);
});

it('registers a deleted node again, and its lease with the new UID', async () => {
  const world = new NodeWorld();
  await world.run(60);
  const before = world.kubernetes.findNode('fargate')?.metadata?.uid;
  world.kubernetes.deleteNode('fargate');
  await world.run(12, { schedule: () => false });

  const after = world.kubernetes.findNode('fargate')?.metadata?.uid;
  expect(after).toBeDefined();
  expect(after).not.toBe(before);
  expect(world.kubernetes.findLease('fargate')?.metadata?.ownerReferences?.[0]?.uid).toBe(after);
});

it('makes the lease anew where the garbage collector takes it between reading and writing', async () => {
  const world = new NodeWorld();
  await world.run(60);
  const lease = world.kubernetes.findLease('fargate');
  world.kubernetes.deleteNode('fargate');
  world.kubernetes.addLease(lease ?? {});
  world.kubernetes.beforeEach(({ method }) => {
    if (method === 'leases.update' && world.kubernetes.findLease('fargate')) world.kubernetes.deleteLease('fargate');
  });
  await world.scheduled();

  const uid = world.kubernetes.findNode('fargate')?.metadata?.uid;
  expect(world.kubernetes.findLease('fargate')?.metadata?.ownerReferences?.map((owner) => owner.uid)).toEqual([uid]);
  expect(world.failures).toEqual([]);
});

it('gives a lease that outlived its node the new owner', async () => {
  const world = new NodeWorld();
  await world.run(60);
  const lease = world.kubernetes.findLease('fargate');
  world.kubernetes.deleteNode('fargate');
  world.kubernetes.addLease(lease ?? {});
  await world.run(60);

  const uid = world.kubernetes.findNode('fargate')?.metadata?.uid;
  expect(world.kubernetes.findLease('fargate')?.metadata?.ownerReferences?.map((owner) => owner.uid)).toEqual([uid]);
});

it('loses one beat, not two, to a call that hangs', async () => {
  const world = new NodeWorld();
  await world.run(60);
  world.kubernetes.clearCalls();
  world.kubernetes.hangNext('leases.renew');
  await world.run(60, { schedule: () => false });

  expect(world.renewals()).toEqual(['01:00', '01:10', '01:20', '01:30', '01:40', '01:50']);
  expect(world.oldestLease.get('fargate')).toBeLessThanOrEqual(21);
});

it('ends a scheduled run although the first call of every kind hangs', async () => {
  const world = new NodeWorld();
  await world.run(60);
  for (const method of ['leases.get', 'nodes.get', 'leases.renew'] as const) world.kubernetes.hangNext(method);
  await world.scheduled();

  expect(world.errors()).toContain('node not maintained: no answer within 30 s');
});

it('does not take a lease another deployment renews', async () => {
  const world = new NodeWorld();
  world.kubernetes.addLease({
    metadata: { name: 'fargate', annotations: { 'svk.dev/deployment': 'prod' } },
    spec: { holderIdentity: 'fargate', renewTime: '2029-12-31T23:59:40.000000Z' },
  });
  await world.scheduled();

  expect(world.errors()).toContain(
    'lease fargate in kube-node-lease is renewed by another deployment: ' +
      'choose another name (nodes[].name of the settings, --nodename of svk run), or stop what renews it',
  );
  expect(world.kubernetes.findLease('fargate')?.spec?.renewTime).toBe('2029-12-31T23:59:40.000000Z');
});

it('goes on renewing while the state store is down', async () => {
  const world = new NodeWorld();
  await world.run(60);
  world.store.before = () => {
    throw new TransientError('DynamoDB is unavailable');
  };
  await world.run(360);

  expect(world.oldestLease.get('fargate')).toBeLessThanOrEqual(11);
  expect(world.errors()).toContain('DynamoDB is unavailable');
});
