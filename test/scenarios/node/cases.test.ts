import { describe, expect, it } from 'vitest';
import type { Node } from '../../../src/model/kubernetes.ts';
import { NodeWorld } from './node-world.ts';

/** Puts a condition there as another client would, or as the node controller does. */
const writeCondition = (world: NodeWorld, condition: { readonly type: string; readonly status: string }): void => {
  world.kubernetes.updateNode('fargate', (node): Node => {
    const others = (node.status?.conditions ?? []).filter(({ type }) => type !== condition.type);
    const lastTransitionTime = new Date(world.clock.now()).toISOString();
    return { ...node, status: { ...node.status, conditions: [...others, { ...condition, lastTransitionTime }] } };
  });
};
const conditionOf = (world: NodeWorld, type: string) =>
  world.kubernetes.findNode('fargate')?.status?.conditions?.find((one) => one.type === type);

describe('N-07 a condition of somebody else', () => {
  it('outlives our status writes, whatever it says', async () => {
    const world = new NodeWorld();
    await world.run(60);
    writeCondition(world, { type: 'NetworkDegraded', status: 'True' });
    const before = conditionOf(world, 'NetworkDegraded');
    const heartbeat = conditionOf(world, 'Ready')?.lastHeartbeatTime;
    await world.run(180);
    expect(conditionOf(world, 'NetworkDegraded')).toEqual(before);
    expect(conditionOf(world, 'Ready')?.lastHeartbeatTime).not.toBe(heartbeat);
  });
});

describe('N-10 the node controller has just written Unknown', () => {
  it('and the next run says True without a conflict: a status patch names no version', async () => {
    const world = new NodeWorld();
    await world.run(60);
    const since = conditionOf(world, 'Ready')?.lastTransitionTime;
    writeCondition(world, { type: 'Ready', status: 'Unknown' });
    await world.scheduled();
    expect(conditionOf(world, 'Ready')).toMatchObject({ status: 'True', lastTransitionTime: '2030-01-01T00:01:00Z' });
    expect(since).toBe('2030-01-01T00:00:00Z');
    const patches = world.kubernetes.calls.filter(({ method }) => method === 'nodes.patchStatus');
    expect(patches.length).toBeGreaterThan(1);
    expect(JSON.stringify(patches)).not.toContain('resourceVersion');
    expect(world.failures).toEqual([]);
  });

  it('keeps the transition time while nothing changes, and moves the heartbeat', async () => {
    const world = new NodeWorld();
    await world.run(180);
    expect(conditionOf(world, 'Ready')).toMatchObject({
      lastTransitionTime: '2030-01-01T00:00:00Z',
      lastHeartbeatTime: '2030-01-01T00:02:00Z',
    });
  });
});

describe('N-14 a node that appears', () => {
  it('is whole at its first sight: taint, labels, capacity, address', async () => {
    const world = new NodeWorld();
    await world.scheduled();
    const [created, ...more] = world.kubernetes.calls.filter(({ method }) => method === 'nodes.create');
    expect(more).toEqual([]);
    const first = created?.args[0] as Node;
    expect(first.spec?.taints).toEqual([
      { key: 'virtual-kubelet.io/provider', value: 'fargate', effect: 'NoSchedule' },
    ]);
    expect(first.metadata?.labels).toMatchObject({ type: 'virtual-kubelet', 'kubernetes.io/os': 'linux' });
    expect(first.status?.capacity).toEqual({ cpu: '64', memory: '256Gi', pods: '100' });
    expect(first.status?.addresses).toContainEqual({ type: 'Hostname', address: 'kubelet.example.com' });
    expect(world.kubernetes.count('nodes.patch')).toBe(0);
  });

  // DESIGN rules otherwise than the case in one point: the kubelet endpoint is no condition of Ready, for a node without
  // a domain has none that the API server can use, and its pods run all the same. `svk doctor` tells.
  it('is not Ready before the provider has answered', async () => {
    const world = new NodeWorld();
    world.providerDown = true;
    await world.scheduled();
    expect(world.condition('Ready')).toBe('False');
    world.providerDown = false;
    await world.run(60);
    expect(world.condition('Ready')).toBe('True');
  });
});
