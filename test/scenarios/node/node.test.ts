import { expect, it } from 'vitest';
import { PermanentError } from '../../../src/core/errors.ts';
import { FARGATE, NodeWorld } from './node-world.ts';

it('registers the node complete, with its lease, in the first run', async () => {
  const world = new NodeWorld();
  await world.scheduled();

  const node = world.kubernetes.findNode('fargate');
  expect(node?.metadata?.labels).toEqual({
    type: 'virtual-kubelet',
    'eks.amazonaws.com/compute-type': 'fargate',
    'kubernetes.io/arch': 'amd64',
    'kubernetes.io/hostname': 'fargate',
    'kubernetes.io/os': 'linux',
    'node.kubernetes.io/exclude-from-external-load-balancers': 'true',
  });
  expect(node?.spec).toEqual({
    providerID: 'svk://dev/fargate',
    taints: [{ key: 'virtual-kubelet.io/provider', value: 'fargate', effect: 'NoSchedule' }],
  });
  expect(node?.status?.allocatable).toEqual({ cpu: '64', memory: '256Gi', pods: '100' });
  expect(node?.status?.nodeInfo?.kubeletVersion).toBe('v1.36.3-svk-0.1.0');
  expect(world.condition('Ready')).toBe('True');
  const lease = world.kubernetes.findLease('fargate');
  expect(lease?.spec).toEqual({
    holderIdentity: 'fargate',
    leaseDurationSeconds: 40,
    renewTime: '2030-01-01T00:00:00.000000Z',
  });
  expect(lease?.metadata?.ownerReferences).toEqual([
    { apiVersion: 'v1', kind: 'Node', name: 'fargate', uid: node?.metadata?.uid },
  ]);
  expect(world.kubernetes.count('nodes.create')).toBe(1);
  expect(world.failures).toEqual([]);
});

it('keeps every node of the list, and one in trouble harms no other', async () => {
  const world = new NodeWorld([FARGATE, { ...FARGATE, name: 'arm', architecture: 'arm64' }]);
  world.kubernetes.addNode({ metadata: { name: 'fargate' }, spec: { providerID: 'aws:///eu-west-1a/i-0123' } });
  await world.run(120);

  expect(world.kubernetes.findNode('arm')?.metadata?.labels?.['kubernetes.io/arch']).toBe('arm64');
  expect(world.oldestLease.get('arm')).toBeLessThanOrEqual(11);
  expect(world.kubernetes.findLease('fargate')).toBeUndefined();
});

it('refuses a node of another deployment with one readable error and leaves it alone', async () => {
  const prod = new NodeWorld([FARGATE], 'prod');
  await prod.scheduled();
  const theirs = prod.kubernetes.findNode('fargate');
  const world = new NodeWorld();
  world.kubernetes.addNode(theirs ?? {});
  world.kubernetes.addLease(prod.kubernetes.findLease('fargate') ?? {});
  await world.scheduled();

  expect(new Set(world.errors())).toEqual(
    new Set([
      'node fargate exists and is not of deployment dev: choose another name (nodes[].name of the settings, --nodename of svk run), ' +
        'or remove that node and what keeps it',
    ]),
  );
  expect(world.kubernetes.findNode('fargate')?.spec).toEqual(theirs?.spec);
  expect(world.kubernetes.findLease('fargate')).toMatchObject({
    metadata: { annotations: { 'svk.dev/deployment': 'prod' } },
    spec: { renewTime: '2030-01-01T00:00:00.000000Z' },
  });
});

it('lets short trouble of the provider change nothing', async () => {
  const world = new NodeWorld();
  await world.run(120);
  world.providerDown = true;
  await world.run(1);
  world.providerDown = false;
  await world.run(60);

  expect(world.condition('Ready')).toBe('True');
  expect(world.condition('FargateReachable')).toBe('True');
});

it('says so after a minute of trouble, and is not Ready after five, while the lease goes on', async () => {
  const world = new NodeWorld();
  await world.run(60);
  world.providerDown = true;
  await world.run(60);
  expect([world.condition('FargateReachable'), world.condition('Ready')]).toEqual(['True', 'True']);
  await world.run(60);
  expect([world.condition('FargateReachable'), world.condition('Ready')]).toEqual(['False', 'True']);
  await world.run(240);
  expect([world.condition('FargateReachable'), world.condition('Ready')]).toEqual(['False', 'False']);
  expect(world.oldestLease.get('fargate')).toBeLessThanOrEqual(11);

  world.providerDown = false;
  await world.run(60);
  expect([world.condition('FargateReachable'), world.condition('Ready')]).toEqual(['True', 'True']);
});

it('is not Ready before the provider has answered once', async () => {
  const world = new NodeWorld();
  world.providerDown = true;
  await world.run(60);
  expect([world.condition('FargateReachable'), world.condition('Ready')]).toEqual(['Unknown', 'False']);

  world.providerDown = false;
  await world.run(60);
  expect([world.condition('FargateReachable'), world.condition('Ready')]).toEqual(['True', 'True']);
});

it('sets the out-of-capacity taint from the row and takes it away again', async () => {
  const world = new NodeWorld();
  await world.run(60);
  await world.store.put('fargate', { outOfCapacityUntil: world.clock.now() + 90_000 });
  await world.run(60);
  expect(world.kubernetes.findNode('fargate')?.spec?.taints?.map(({ key }) => key)).toEqual([
    'virtual-kubelet.io/provider',
    'svk.dev/out-of-capacity',
  ]);
  await world.run(120);
  expect(world.kubernetes.findNode('fargate')?.spec?.taints?.map(({ key }) => key)).toEqual([
    'virtual-kubelet.io/provider',
  ]);
});

it('repairs what is ours and keeps what others put on the node', async () => {
  const world = new NodeWorld();
  await world.run(60);
  world.kubernetes.updateNode('fargate', (node) => ({
    ...node,
    metadata: { ...node.metadata, labels: { ...node.metadata?.labels, type: 'x', team: 'a' } },
    spec: {
      ...node.spec,
      unschedulable: true,
      taints: [{ key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' }],
    },
    status: {
      ...node.status,
      conditions: [...(node.status?.conditions ?? []), { type: 'NetworkDegraded', status: 'True' }],
    },
  }));
  await world.run(60);

  const node = world.kubernetes.findNode('fargate');
  expect(node?.metadata?.labels).toMatchObject({ type: 'virtual-kubelet', team: 'a' });
  expect(node?.spec?.unschedulable).toBe(true);
  expect(node?.spec?.taints).toEqual([
    { key: 'node.kubernetes.io/unschedulable', effect: 'NoSchedule' },
    { key: 'virtual-kubelet.io/provider', value: 'fargate', effect: 'NoSchedule' },
  ]);
  expect(world.condition('NetworkDegraded')).toBe('True');
});

it('remembers the cluster it registered in', async () => {
  const world = new NodeWorld();
  world.kubernetes.putNamespace('kube-system', 'c0ffee00-0000-4000-a000-000000000001');
  await world.scheduled();
  expect((await world.store.get('fargate'))?.clusterId).toBe('c0ffee00-0000-4000-a000-000000000001');
});

it('has the address of the settings only, after they changed', async () => {
  const before = new NodeWorld();
  await before.scheduled();
  const world = new NodeWorld([{ ...FARGATE, endpoint: { host: '10.0.0.7', port: 10_250 } }]);
  world.kubernetes.addNode(before.kubernetes.findNode('fargate') ?? {});
  await world.scheduled();

  const status = world.kubernetes.findNode('fargate')?.status;
  expect(status?.addresses).toEqual([{ type: 'InternalIP', address: '10.0.0.7' }]);
  expect(status?.daemonEndpoints).toEqual({ kubeletEndpoint: { Port: 10_250 } });
});

it('declares what its endpoint takes, and takes that back when it no longer does', async () => {
  const endpoint = { host: '10.0.0.7', port: 10_250, webSockets: true };
  const before = new NodeWorld([{ ...FARGATE, endpoint }]);
  await before.scheduled();
  const node = before.kubernetes.findNode('fargate');
  expect(node?.status?.declaredFeatures).toEqual(['ExtendWebSocketsToKubelet']);

  const world = new NodeWorld([{ ...FARGATE, endpoint: { ...endpoint, webSockets: false } }]);
  world.kubernetes.addNode(node ?? {});
  await world.scheduled();
  expect(world.kubernetes.findNode('fargate')?.status?.declaredFeatures).toBeUndefined();
});

it('tells whoever keeps the credentials that they were refused', async () => {
  const world = new NodeWorld();
  world.kubernetes.failNext('nodes.get', new PermanentError('GET /api/v1/nodes/fargate: Unauthorized'));
  await world.scheduled();
  expect(world.failures).toEqual([expect.any(PermanentError)]);
});
