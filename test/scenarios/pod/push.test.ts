import { describe, expect, it } from 'vitest';
import type { PodWork } from '../../../src/controllers/pod/pod-worker.ts';
import type { Pod } from '../../../src/model/kubernetes.ts';
import type { WakeReason } from '../../../src/model/messages.ts';
import { NODE, PodWorld } from '../../support/pod-world.ts';

const SIGNAL = new AbortController().signal;
const UID = '11111111-2222-4333-8444-555555555555';

/** The webhook's wakes come from the test alone: before the API server stores anything, as in life. */
const quietWorld = async (): Promise<PodWorld> => {
  const world = await PodWorld.create();
  world.admits = false;
  return world;
};

const wakeFor = (reason: WakeReason, { metadata }: Pod): PodWork => {
  const { uid = '', name = '', namespace = '' } = metadata ?? {};
  return { kind: 'wake', wake: { v: 1, kind: 'wake', reason, uid, name, namespace, node: NODE } };
};

const aPodOf = (world: PodWorld, name = 'web'): Pod => {
  const pod = world.aPod({ name });
  return { ...pod, metadata: { ...pod.metadata, uid: UID } };
};

describe('a wake that comes before what it announces', () => {
  it('starts a pod created with its node as soon as the pod shows', async () => {
    const world = await quietWorld();
    const pod = aPodOf(world);
    const work = world.worker.work([wakeFor('create', pod)], SIGNAL);
    await world.clock.advance(60);
    expect(world.provider.live()).toEqual([]);
    world.kubernetes.addPod(pod);
    await world.clock.advance(100);
    expect(await work).toEqual([{ ok: true }]);
    expect(world.workload.podUid).toBe(UID);
    expect(world.queue.length).toBe(0);
  });

  it('stops a deleted pod as soon as its deletion shows', async () => {
    const world = await quietWorld();
    const pod = world.kubernetes.addPod(aPodOf(world));
    await world.deliver([wakeFor('create', pod)]);
    const { id } = world.workload;
    await world.happens(() => world.provider.run(id));
    const work = world.worker.work([wakeFor('delete', pod)], SIGNAL);
    await world.clock.advance(60);
    expect(world.provider.calls).not.toContain('stop');
    world.kubernetes.deletePod('default', 'web');
    await world.clock.advance(100);
    expect(await work).toEqual([{ ok: true }]);
    expect(world.provider.calls).toContain('stop');
    expect(world.queue.sent).toEqual([]);
  });

  it('leaves a deletion that another webhook refuses, and looks once more', async () => {
    const world = await quietWorld();
    const pod = world.kubernetes.addPod(aPodOf(world));
    await world.deliver([wakeFor('create', pod)]);
    await world.deliver([wakeFor('delete', pod)]);
    expect(world.provider.live()).toHaveLength(1);
    expect(world.queue.sent).toEqual([
      {
        message: { v: 1, kind: 'wake', reason: 'requeue', uid: UID, namespace: 'default', name: 'web' },
        delaySeconds: 1,
      },
    ]);
    await world.pass(10_000);
    expect(world.queue.sent).toHaveLength(1);
  });

  it('forgets a pod whose creation another webhook refuses', async () => {
    const world = await quietWorld();
    await world.deliver([wakeFor('create', aPodOf(world))]);
    await world.pass(30_000);
    expect(world.provider.workloads()).toEqual([]);
    expect(world.podStore.rows()).toEqual([]);
  });

  it('misses no deletion that shows after another worker has read the pod', async () => {
    const world = await quietWorld();
    const pod = world.kubernetes.addPod(aPodOf(world));
    await world.deliver([wakeFor('create', pod)]);
    await world.podStore.wake({ v: 1, kind: 'wake', reason: 'timer', uid: UID, namespace: 'default', name: 'web' });
    const other = await world.controller.claim(UID, SIGNAL);
    if (!other) throw new Error('the pod could not be claimed');

    await world.deliver([wakeFor('delete', pod)]);
    await world.controller.run(other);
    expect(world.provider.calls).not.toContain('stop');
    world.kubernetes.deletePod('default', 'web');
    await world.clock.advance(1_000);
    await world.settle();
    expect(world.provider.calls).toContain('stop');
  });
});
