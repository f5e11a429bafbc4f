import { describe, expect, it } from 'vitest';
import { TransientError } from '../../../src/core/errors.ts';
import { NODE, PodWorld } from '../../support/pod-world.ts';
import { runningPod } from './running-pod.ts';

const SIGNAL = new AbortController().signal;
const MINUTE = 60_000;

/** A pod whose second token, after a refusal of the first, is on its way: it arrives when `arrive` is called. */
const underWay = async (): Promise<{ readonly world: PodWorld; readonly arrive: () => Promise<unknown> }> => {
  const world = await PodWorld.create();
  const { provider } = world;
  provider.faults.nextLaunch({ kind: 'refused', cause: 'capacity', final: true, message: 'none left' });
  const { metadata } = await world.addPod();
  provider.faults.nextLaunch({ kind: 'lost-request' });
  await world.pass(10_000);
  const late = world.state(metadata?.uid).attempts.at(-1)?.launch?.request;
  if (!late) throw new Error('nothing is under way');
  return { world, arrive: () => provider.launch(late) };
};

describe('a table that is lost', () => {
  it('L-15 finds every task again before anything is launched', async () => {
    const { world, id } = await runningPod();
    await world.addPod({ name: 'other' });
    world.podStore.clear();
    await world.nodeStore.put(NODE, { adoptedAt: undefined });
    await world.pass(2 * MINUTE);
    await world.adoption.adopt(NODE, SIGNAL);
    await world.pass(2 * MINUTE);
    expect(world.provider.workloads()).toHaveLength(2);
    expect(world.podStore.rows().flatMap(({ state }) => state.attempts.map(({ workloadId }) => workloadId))).toContain(
      id,
    );
  });

  it('L-15 writes down those that have stopped lately, too', async () => {
    const { world, id, uid } = await runningPod({ restartPolicy: 'Never' });
    world.notifies = false;
    world.provider.exit(id, 0);
    world.podStore.clear();
    await world.nodeStore.put(NODE, { adoptedAt: undefined });
    await world.adoption.adopt(NODE, SIGNAL);
    const row = world.podStore.rows().find(({ pod }) => pod.uid === uid);
    expect(row?.observations[id]).toMatchObject({ phase: 'stopped' });
  });

  it('counts restarts on from what the API server shows', async () => {
    const { world } = await runningPod();
    for (let times = 0; times < 2; times += 1) {
      await world.happens(() => world.provider.exit(world.workload.id, 1));
      await world.pass(20_000);
      await world.happens(() => world.provider.run(world.workload.id));
    }
    world.podStore.clear();
    await world.pass(2 * MINUTE);
    await world.happens(() => world.provider.exit(world.workload.id, 1));
    await world.happens(() => world.provider.run(world.workload.id));
    expect(world.workload.attempt).toBe(4);
    expect(world.status().containerStatuses?.[0]?.restartCount).toBe(3);
  });

  it("lets a pod that runs restart by kubelet's timing", async () => {
    const { world } = await runningPod();
    world.podStore.clear();
    await world.pass(2 * MINUTE);
    await world.happens(() => world.provider.exit(world.workload.id, 1));
    expect(world.workload.attempt).toBe(2);
    await world.happens(() => world.provider.run(world.workload.id));
    await world.happens(() => world.provider.exit(world.workload.id, 1));
    expect(world.status().containerStatuses?.[0]?.state?.waiting?.reason).toBe('CrashLoopBackOff');
    expect(world.provider.live()).toEqual([]);
    await world.pass(20_000);
    expect(world.workload.attempt).toBe(3);
  });

  it('C-01 holds a pod back that was between two runs, and says so, until no launch of before can arrive', async () => {
    const { world, id } = await runningPod();
    world.notifies = false;
    world.provider.exit(id, 1);
    world.podStore.clear();
    world.notifies = true;
    await world.pass(6 * MINUTE);
    expect(world.provider.live()).toEqual([]);
    expect(world.status().containerStatuses?.[0]?.state?.waiting?.message).toMatch(/^a launch of before may still/);
    expect(world.events().filter((event) => event.startsWith('LaunchUnanswered'))).toHaveLength(1);
    await world.pass(2 * MINUTE);
    expect(world.workload.attempt).toBe(2);
    await world.happens(() => world.provider.run(world.workload.id));
    expect(world.status().containerStatuses?.[0]).toMatchObject({ restartCount: 1, state: { running: {} } });
  });

  it('C-01 does not forget that a launch may be under way when the next holder dies', async () => {
    const { world, arrive } = await underWay();
    const { kubernetes, provider, podStore } = world;
    podStore.clear();
    podStore.before = (method) => {
      if (method !== 'release') return;
      podStore.before = undefined;
      return new Promise(() => {});
    };
    world.wake(world.pod(), 'resync');
    void world.settle().catch(() => undefined);
    await world.clock.advance(5_000);
    await world.pass(4 * MINUTE);
    expect(provider.workloads()).toEqual([]);
    expect(kubernetes.findPod('default', 'web')?.status).toMatchObject({
      phase: 'Pending',
      reason: 'LaunchUnanswered',
    });
    await arrive();
    await world.pass(10 * MINUTE);
    expect(provider.workloads()).toHaveLength(1);
  });

  it('L-05 does not let a pod go whose task was told to nobody', async () => {
    const world = await PodWorld.create();
    const { kubernetes, provider, podStore, nodeStore } = world;
    kubernetes.failNext('pods.patchStatus', new TransientError('connection refused'));
    await world.addPod();
    await world.happens(() => provider.run(world.workload.id));
    podStore.clear();
    await nodeStore.put(NODE, { adoptedAt: undefined });
    kubernetes.updatePod('default', 'web', ({ status: _status, ...pod }) => pod);
    provider.stopsAtOnce = false;
    const { id } = world.workload;
    kubernetes.deletePod('default', 'web');
    world.wake(world.pod(), 'resync');
    await world.settle();
    expect(provider.get(id).stopping).toBe(true);
    expect(kubernetes.findPod('default', 'web')).toBeDefined();
    await world.happens(() => provider.exit(id, 0));
    expect(kubernetes.findPod('default', 'web')).toBeUndefined();
  });

  it('C-01 uses no second token before the pod says that it was tried', async () => {
    const world = await PodWorld.create();
    const { kubernetes, provider } = world;
    provider.faults.nextLaunch({ kind: 'refused', cause: 'capacity', final: true, message: 'none left' });
    let isDown = true;
    kubernetes.beforeEach(({ method }) => {
      if (isDown && method === 'pods.patchStatus') throw new TransientError('connection refused');
    });
    await world.addPod();
    await world.pass(5 * MINUTE);
    expect(provider.calls.filter((call) => call === 'launch')).toHaveLength(1);
    isDown = false;
    await world.pass(5 * MINUTE);
    expect(world.workload).toMatchObject({ attempt: 1, try: 2 });
  });

  it('C-01 does not start a second task beside a launch that was under way when the table was lost', async () => {
    const { world, arrive } = await underWay();
    const { kubernetes, provider, podStore } = world;
    expect(kubernetes.findPod('default', 'web')?.status?.reason).toBe('LaunchUnanswered');

    podStore.clear();
    await world.pass(4 * MINUTE);
    expect(provider.workloads()).toEqual([]);
    world.notifies = false;
    await arrive();
    await world.pass(10 * MINUTE);

    expect(provider.workloads()).toHaveLength(1);
    expect(world.workload).toMatchObject({ attempt: 1, try: 2 });
  });

  it('C-01 takes no refusal for an answer to a launch it may have forgotten', async () => {
    const world = await PodWorld.create();
    const { kubernetes, provider, podStore, nodeStore, clock } = world;
    provider.faults.nextLaunch({ kind: 'lost-request' });
    kubernetes.failNext('pods.patchStatus', new TransientError('connection refused'));
    await world.addPod();
    expect(world.status().reason).toBeUndefined();
    podStore.clear();
    await nodeStore.put('fargate', { adoptedAt: clock.now() + 20_000 });
    provider.faults.nextLaunch({ kind: 'refused', cause: 'capacity', final: true, message: 'none left' });
    await world.pass(2 * MINUTE);

    expect(world.workload).toMatchObject({ attempt: 1, try: 1 });
  });

  it('L-09 a pod that was started and whose task is nowhere has failed', async () => {
    const { world, id } = await runningPod({ restartPolicy: 'Never' });
    world.podStore.clear();
    world.provider.forget(id);
    await world.pass(2 * MINUTE);
    expect(world.status().phase).toBe('Running');
    await world.pass(2 * MINUTE);
    expect(world.status()).toMatchObject({ phase: 'Failed', reason: 'TaskLost' });
    expect(world.provider.workloads()).toEqual([]);
  });

  it('L-09 has failed at once where the provider is sure that there is no such task', async () => {
    const { world, id } = await runningPod({ restartPolicy: 'Never' });
    world.provider.isConclusive = true;
    world.podStore.clear();
    world.provider.forget(id);
    world.wake(world.pod(), 'watch');
    await world.settle();
    expect(world.status()).toMatchObject({ phase: 'Failed', reason: 'TaskLost' });
    expect(world.provider.workloads()).toEqual([]);
  });

  it('a finished pod stays finished', async () => {
    const { world, id } = await runningPod({ restartPolicy: 'Never' });
    await world.happens(() => world.provider.exit(id, 0));
    world.podStore.clear();
    world.provider.forget(id);
    const before = world.pod();
    await world.pass(5 * MINUTE);
    expect(world.pod()).toEqual(before);
    expect(world.provider.workloads()).toEqual([]);
  });
});
