import { describe, expect, it } from 'vitest';
import { TransientError } from '../../../src/core/errors.ts';
import { NODE, PodWorld } from '../../support/pod-world.ts';

const SIGNAL = new AbortController().signal;
const MINUTE = 60_000;

const runningPod = async (wish = {}): Promise<{ world: PodWorld; id: string; uid: string }> => {
  const world = await PodWorld.create();
  const { metadata } = await world.addPod(wish);
  const { id } = world.workload;
  await world.happens(() => world.provider.run(id));
  return { world, id, uid: metadata?.uid ?? '' };
};

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

describe('news that get lost, come late or twice', () => {
  it('S-11 S-09 an older event changes nothing, a repeated one neither', async () => {
    const { world, id } = await runningPod({ restartPolicy: 'Never' });
    const running = world.provider.notificationOf(id);
    await world.happens(() => world.provider.exit(id, 1));
    const before = world.pod();
    expect(before.status?.phase).toBe('Failed');
    const stopped = world.provider.notificationOf(id);
    for (const notification of [running, stopped, running, stopped]) {
      await world.deliver([{ kind: 'notification', notification }]);
    }
    expect(world.pod()).toEqual(before);
  });

  it('S-09 a version that comes after the end, without an exit code, does not move the phase', async () => {
    const { world, id } = await runningPod({ restartPolicy: 'Never' });
    await world.happens(() => world.provider.exit(id, 1));
    await world.happens(() => world.provider.exit(id));
    expect(world.status()).toMatchObject({
      phase: 'Failed',
      containerStatuses: [{ state: { terminated: { exitCode: 1 } } }],
    });
  });

  it('without any event a pod still runs, restarts and ends', async () => {
    const world = await PodWorld.create();
    world.notifies = false;
    await world.addPod({ restartPolicy: 'OnFailure' });
    world.provider.run(world.workload.id);
    await world.pass(2 * MINUTE);
    expect(world.status().phase).toBe('Running');
    world.provider.exit(world.workload.id, 1);
    await world.pass(6 * MINUTE);
    world.provider.run(world.workload.id);
    await world.pass(2 * MINUTE);
    world.provider.exit(world.workload.id, 0);
    await world.pass(6 * MINUTE);
    expect(world.status()).toMatchObject({ phase: 'Succeeded', containerStatuses: [{ restartCount: 1 }] });
  });

  it('T-06 describes many pods in one call, and finished ones never', async () => {
    const world = await PodWorld.create();
    world.notifies = false;
    for (let number = 0; number < 8; number += 1) await world.addPod({ name: `web-${number}` });
    await world.addPod({ name: 'job', restartPolicy: 'Never' });
    for (const { id } of world.provider.live()) world.provider.run(id);
    await world.pass(MINUTE);
    expect(world.provider.calls.filter((call) => call === 'describe')).toHaveLength(1);
  });
});

describe('a task that cannot be seen', () => {
  it('is not believed to be gone after one or two answers', async () => {
    const { world, id } = await runningPod();
    await world.pass(5 * MINUTE);
    world.provider.hide(id);
    world.notifies = false;
    await world.pass(5 * MINUTE + 90_000);
    world.provider.show(id);
    await world.pass(6 * MINUTE);
    expect(world.status().phase).toBe('Running');
    expect(world.provider.live()).toHaveLength(1);
  });

  it('L-09 is gone after one answer of a provider that is sure', async () => {
    const { world, id } = await runningPod({ restartPolicy: 'Never' });
    world.provider.isConclusive = true;
    world.provider.forget(id);
    await world.pass(6 * MINUTE);
    expect(world.status()).toMatchObject({ phase: 'Failed', reason: 'TaskLost' });
    // The beat that finds it missing does not decide: the pod's own question does.
    expect(world.provider.calls.filter((call) => call === 'describe')).toHaveLength(2);
  });

  it('L-09 is gone after three answers over two minutes: the pod has failed, and never runs again', async () => {
    const { world, id } = await runningPod({ restartPolicy: 'Never' });
    world.provider.forget(id);
    await world.pass(9 * MINUTE);
    expect(world.status()).toMatchObject({
      phase: 'Failed',
      reason: 'TaskLost',
      containerStatuses: [{ state: { terminated: { exitCode: 137, reason: 'ContainerStatusUnknown' } } }],
    });
    await world.pass(10 * MINUTE);
    expect(world.provider.workloads()).toEqual([]);
  });
});

describe('a task that turns up for a pod that is over', () => {
  it('is stopped as soon as it is heard of', async () => {
    const { world, id, uid } = await runningPod({ restartPolicy: 'Never' });
    await world.happens(() => world.provider.exit(id, 0));
    await world.pass(MINUTE);
    expect(world.status().phase).toBe('Succeeded');
    const late = { ...world.provider.get(id), id: 'fake/late', podUid: uid, attempt: 2, version: 1 } as const;
    const { end: _end, stoppedAt: _stoppedAt, endedAt: _endedAt, ...rest } = late;
    await world.happens(() => world.provider.plant({ ...rest, phase: 'running', stopping: false }));
    expect(world.provider.get('fake/late').stopping).toBe(true);
    expect(world.status().phase).toBe('Succeeded');
  });
});

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

describe("an API server that is another cluster's", () => {
  it('stops nothing and forgets nothing', async () => {
    const { world, id } = await runningPod();
    await world.pass(2 * MINUTE);
    world.kubernetes.putNamespace('kube-system', 'another-cluster');
    world.kubernetes.deletePod('default', 'web', 0);
    await world.pass(20 * MINUTE);
    await world.collector.run([NODE], SIGNAL);
    expect(world.provider.get(id)).toMatchObject({ phase: 'running', stopping: false });
    expect(world.podStore.rows()).toHaveLength(1);
  });

  it('N-05 a list that is empty by mistake stops nothing', async () => {
    const { world, id } = await runningPod();
    await world.pass(2 * MINUTE);
    const list = world.kubernetes.pods.listMetadata;
    world.kubernetes.pods.listMetadata = () => Promise.resolve([]);
    await world.pass(3 * MINUTE);
    world.kubernetes.pods.listMetadata = list;
    expect(world.provider.get(id).stopping).toBe(false);
  });
});

describe('tasks without a pod', () => {
  const orphan = {
    id: 'fake/orphan',
    podUid: 'gone',
    attempt: 1,
    try: 1,
    version: 3,
    phase: 'running',
    stopping: false,
    ips: [],
    containers: [],
  } as const;

  const sweep = async (world: PodWorld): Promise<void> => {
    const sweeping = world.collector.run([NODE], SIGNAL);
    await world.clock.advance(10_000);
    await sweeping;
    await world.settle();
  };

  it('L-08 are stopped once they are a minute old and two lists agree', async () => {
    const world = await PodWorld.create();
    world.provider.plant({ ...orphan, createdAt: world.clock.now() });
    await world.pass(50_000);
    await sweep(world);
    expect(world.provider.get(orphan.id).stopping).toBe(false);
    await world.pass(10_000);
    await sweep(world);
    expect(world.provider.get(orphan.id).stopping).toBe(true);
    expect(world.kubernetes.events.list).toMatchObject([
      { reason: 'OrphanTaskStopped', type: 'Warning', involvedObject: { kind: 'Node', name: NODE } },
    ]);
  });

  it("are left alone where the API server is another cluster's", async () => {
    const world = await PodWorld.create();
    world.provider.plant({ ...orphan, createdAt: 0 });
    world.kubernetes.putNamespace('kube-system', 'another-cluster');
    await sweep(world);
    expect(world.provider.get(orphan.id).stopping).toBe(false);
    expect(world.logger.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
    await world.nodeStore.put(NODE, { clusterId: 'another-cluster' });
    await sweep(world);
    expect(world.provider.get(orphan.id).stopping).toBe(true);
  });

  it('N-05 are left alone where the second list shows their pod', async () => {
    const { world, id } = await runningPod();
    await world.pass(2 * MINUTE);
    world.podStore.clear();
    const list = world.kubernetes.pods.listMetadata;
    world.kubernetes.pods.listMetadata = async () => {
      world.kubernetes.pods.listMetadata = list;
      return [];
    };
    await sweep(world);
    expect(world.provider.get(id).stopping).toBe(false);
  });

  it('are left alone where their pod is listed: it gets its row back', async () => {
    const { world, id, uid } = await runningPod();
    await world.pass(2 * MINUTE);
    world.podStore.clear();
    await sweep(world);
    expect(world.provider.get(id).stopping).toBe(false);
    expect(world.state(uid).attempts).toMatchObject([{ workloadId: id }]);
  });

  it("of other deployments are nobody's business", async () => {
    const world = await PodWorld.create();
    world.provider.plant({ ...orphan, podUid: undefined, createdAt: 0 });
    await sweep(world);
    expect(world.provider.get(orphan.id).stopping).toBe(false);
  });
});
