import { describe, expect, it } from 'vitest';
import { PermanentError, TransientError } from '../../../src/core/errors.ts';
import { PodWorld } from '../../support/pod-world.ts';

const SIGNAL = new AbortController().signal;

describe('a worker', () => {
  it('runs again where the pod was woken while it worked', async () => {
    const world = await PodWorld.create();
    const { metadata } = await world.addPod();
    const { id } = world.workload;
    let armed = true;
    world.podStore.before = async (method) => {
      if (method !== 'release' || !armed) return;
      armed = false;
      world.notifies = false;
      await world.podStore.observe(world.provider.run(id));
    };
    await world.happens(() => world.provider.pull(id));
    expect(world.status().phase).toBe('Running');
    expect(world.podStore.rows()).toMatchObject([{ pod: { uid: metadata?.uid } }]);
    expect(world.podStore.rows()[0]).not.toHaveProperty('claim');
  });

  it('passes a pod on through the queue that is woken again and again', async () => {
    const world = await PodWorld.create();
    const pod = await world.addPod();
    let wakes = 0;
    world.podStore.before = async (method) => {
      if (method !== 'release' || wakes >= 6) return;
      wakes += 1;
      const { uid = '', name = '', namespace = '' } = pod.metadata ?? {};
      await world.podStore.wake({ v: 1, kind: 'wake', reason: 'watch', uid, name, namespace, node: 'fargate' });
    };
    const before = world.queue.sent.length;
    await world.happens(() => world.provider.run(world.workload.id));
    const sent = world.queue.sent
      .slice(before)
      .map(({ message }) => ('reason' in message ? message.reason : message.kind));
    expect(sent).toEqual(['requeue']);
    expect(world.status().phase).toBe('Running');
    expect(world.podStore.rows()[0]).not.toHaveProperty('claim');
    expect(world.state(pod.metadata?.uid)).not.toHaveProperty('noNewTokenBefore');
  });

  it('T-08 works on the others where one pod meets a bug, and says which message failed', async () => {
    const world = await PodWorld.create();
    world.provider.preparation = (pod) => {
      if (pod.metadata?.name === 'poison') throw new TypeError('a bug');
      return { ok: true, prepared: { podUid: pod.metadata?.uid ?? '', containers: [] }, notes: [], summary: '' };
    };
    const pods = ['poison', 'good'].map((name) => world.kubernetes.addPod(world.aPod({ name })));
    await world.clock.advance(0);
    world.queue.receive();
    const results = await world.worker.work(
      pods.map(({ metadata }) => ({
        kind: 'wake',
        wake: {
          v: 1,
          kind: 'wake',
          reason: 'bind',
          uid: metadata?.uid ?? '',
          name: metadata?.name ?? '',
          namespace: 'default',
          node: 'fargate',
        },
      })),
      SIGNAL,
    );
    expect(results.map(({ ok }) => ok)).toEqual([false, true]);
    expect(world.provider.live()).toHaveLength(1);
  });

  it('ignores notifications that are none of ours', async () => {
    const world = await PodWorld.create();
    expect(await world.worker.work([{ kind: 'notification', notification: { source: 'aws.health' } }], SIGNAL)).toEqual(
      [{ ok: true }],
    );
  });

  it('does not fail its message where the API server is away: the row says when to try again', async () => {
    const world = await PodWorld.create();
    const down = new TransientError('connection refused');
    for (let times = 0; times < 3; times += 1) world.kubernetes.failNext('pods.get', down);
    const { metadata } = await world.addPod();
    expect(world.state(metadata?.uid).errors).toBe(1);
    const waitsMs = (): number => (world.podStore.rows()[0]?.nextCheckAt ?? 0) - world.clock.now();
    expect(waitsMs()).toBeGreaterThan(5_000);
    expect(waitsMs()).toBeLessThan(10_000);
    await world.pass(10_000);
    expect(waitsMs()).toBeGreaterThan(10_000);
    expect(waitsMs()).toBeLessThan(20_000);
    await world.pass(70_000);
    expect(world.provider.live()).toHaveLength(1);
    expect(world.state(metadata?.uid)).not.toHaveProperty('errors');
  });

  it('tells the operator of missing permissions', async () => {
    const world = await PodWorld.create();
    world.kubernetes.failNext('pods.patchStatus', new PermanentError('pods/status is forbidden'));
    await world.addPod();
    expect(world.logger.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
    await world.pass(10_000);
    expect(world.status().containerStatuses).toHaveLength(1);
  });

  it('records events best effort: none of them holds anything up, none is recorded twice', async () => {
    const world = await PodWorld.create();
    world.kubernetes.failNext('events.create', new TransientError('503'));
    await world.addPod();
    await world.happens(() => world.provider.run(world.workload.id));
    expect(world.status().phase).toBe('Running');
    await world.pass(600_000);
    expect(new Set(world.events()).size).toBe(world.events().length);
  });

  it('does nothing for a pod that is not bound after all', async () => {
    const world = await PodWorld.create();
    const { nodeName: _nodeName, ...spec } = world.aPod().spec ?? { containers: [] };
    const pod = world.kubernetes.addPod({ ...world.aPod(), spec });
    world.wake(pod, 'bind');
    await world.settle();
    expect(world.provider.workloads()).toEqual([]);
    await world.pass(20_000);
    expect(world.podStore.rows()).toEqual([]);
  });

  it('launches a pod whose binding shows a moment after the webhook told of it', async () => {
    const world = await PodWorld.create();
    const { nodeName: _nodeName, ...spec } = world.aPod().spec ?? { containers: [] };
    const pod = world.kubernetes.addPod({ ...world.aPod(), spec });
    world.wake(pod, 'bind');
    const binding = world.clock.sleep(60).then(() => world.kubernetes.bindPod('default', 'web', 'fargate'));
    await world.settle();
    await binding;
    expect(world.provider.live()).toHaveLength(1);
  });
});
