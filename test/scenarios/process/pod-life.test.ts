import { describe, expect, it } from 'vitest';
import { MemoryNodeStore } from '../../../src/adapters/memory/node-store.ts';
import { MemoryPodStore } from '../../../src/adapters/memory/pod-store.ts';
import { TransientError } from '../../../src/core/errors.ts';
import { ProcessWorld } from './process-world.ts';

const started = async (options?: ConstructorParameters<typeof ProcessWorld>[0]): Promise<ProcessWorld> => {
  const world = new ProcessWorld(options);
  await world.start();
  expect(world.isReady).toBe(true);
  world.takeCalls();
  return world;
};

describe('a pod', () => {
  it('runs and goes in five requests', async () => {
    const world = await started();
    await world.addPod();
    expect(world.phase()).toBe('Running');
    await world.deletePod('web');
    expect(world.phase()).toBeUndefined();
    await world.pass(120_000);
    expect(world.takeCalls()).toEqual([
      'pods.patchStatus',
      'events.create',
      'events.create',
      'pods.patchStatus',
      'pods.delete',
    ]);
    expect(world.provider.live()).toEqual([]);
    expect(await world.podStore.knownPods('fargate')).toEqual([]);
    await world.stop();
  });

  it('goes as soon as its containers have ended, whatever its grace period', async () => {
    const world = await started();
    await world.addPod({ terminationGracePeriodSeconds: 600 });
    await world.deletePod('web');
    expect(world.phase()).toBeUndefined();
    await world.stop();
  });

  it('that is deleted by force is stopped at once, after one look at which cluster this is', async () => {
    const world = await started();
    await world.addPod();
    world.takeCalls();
    await world.deletePod('web', 0);
    expect(world.provider.live()).toEqual([]);
    expect(world.takeCalls()).toEqual(['cluster.namespace']);
    await world.pass(600_000);
    expect(await world.podStore.knownPods('fargate')).toEqual([]);
    await world.stop();
  });

  it('that is deleted by force in another cluster of the same address is not stopped', async () => {
    const world = await started();
    await world.addPod();
    world.kubernetes.putNamespace('kube-system', 'another-cluster');
    await world.deletePod('web', 0);
    await world.pass(60_000);
    expect(world.provider.live()).toHaveLength(1);
    await world.stop();
  });

  it('made again under the same name is another pod', async () => {
    const world = await started();
    const first = await world.addPod();
    await world.deletePod('web', 0);
    const second = await world.addPod();
    await world.pass(60_000);
    expect(world.phase()).toBe('Running');
    expect(world.provider.live().map(({ podUid }) => podUid)).toEqual([second.metadata?.uid]);
    expect(first.metadata?.uid).not.toBe(second.metadata?.uid);
    await world.stop();
  });

  it('whose status somebody else has changed gets it back', async () => {
    const world = await started();
    await world.addPod();
    world.kubernetes.updatePod('default', 'web', (pod) => ({
      ...pod,
      status: {
        ...pod.status,
        conditions: (pod.status?.conditions ?? []).map((one) =>
          one.type === 'Ready' ? { ...one, status: 'False' } : one,
        ),
      },
    }));
    await world.settle();
    const ready = world.kubernetes.findPod('default', 'web')?.status?.conditions?.find(({ type }) => type === 'Ready');
    expect(ready?.status).toBe('True');
    await world.stop();
  });

  it('is tried again after half of its back-off at least, and all of it at most, when its start was refused', async () => {
    const world = await started();
    world.provider.faults.nextLaunch({ kind: 'refused', cause: 'capacity', final: true, message: 'none left' });
    await world.addPod();
    expect(world.phase()).toBe('Pending');
    await world.pass(4_999);
    expect(world.phase()).toBe('Pending');
    await world.pass(5_001);
    expect(world.phase()).toBe('Running');
    await world.stop();
  });

  it('is not lost to an API server that does not answer', async () => {
    const world = await started();
    let isDown = true;
    world.kubernetes.beforeEach(({ method }) => {
      if (isDown && method === 'pods.patchStatus') throw new TransientError('no answer');
    });
    await world.addPod();
    await world.pass(30_000);
    expect(world.phase()).toBe('Pending');
    isDown = false;
    await world.pass(60_000);
    expect(world.phase()).toBe('Running');
    expect(world.provider.calls.filter((call) => call === 'launch')).toHaveLength(1);
    await world.stop();
  });
});

describe('a provider that does not tell', () => {
  it('is asked every few seconds', async () => {
    const world = await started({ tells: false });
    const pod = await world.addPod();
    expect(world.phase()).toBe('Running');
    const [workload] = world.provider.workloads(pod.metadata?.uid);
    world.provider.exit(workload?.id ?? '', 0);
    await world.settle();
    expect(world.kubernetes.findPod('default', 'web')?.status?.containerStatuses?.[0]?.restartCount).toBe(0);
    await world.pass(5_000);
    expect(world.kubernetes.findPod('default', 'web')?.status?.containerStatuses?.[0]?.restartCount).toBe(1);
    await world.deletePod('web');
    await world.pass(5_000);
    expect(world.phase()).toBeUndefined();
    await world.stop();
  });
});

describe('a watch with gaps', () => {
  it('loses no pod that came, and stops the one that went, meanwhile', async () => {
    const world = await started();
    const gone = await world.addPod({ name: 'gone' });
    world.watch.expire();
    world.kubernetes.deletePod('default', 'gone', 0);
    world.kubernetes.addPod({
      metadata: { name: 'new' },
      spec: { nodeName: 'fargate', containers: [{ name: 'c', image: 'i' }] },
    });
    world.watch.expire();
    await world.settle();
    expect(world.phase('new')).toBe('Running');
    // A list that does not show it proves little: two reads must agree, and the workload must be a minute old.
    expect(world.provider.live(gone.metadata?.uid)).toHaveLength(1);
    await world.pass(70_000);
    expect(world.provider.live(gone.metadata?.uid)).toEqual([]);
    expect(world.watch.counts.list).toBeGreaterThan(1);
    await world.stop();
  });

  it.each(['close', 'disconnect'] as const)('goes on after a %s without listing again', async (how) => {
    const world = await started();
    world.watch[how]();
    await world.settle();
    await world.pass(1_000);
    await world.addPod();
    expect(world.phase()).toBe('Running');
    expect(world.watch.counts.list).toBe(1);
    await world.stop();
  });
});

describe('a start', () => {
  it('takes up the pods that are there, and does nothing to those that are as they should be', async () => {
    const world = await started();
    await world.addPod();
    await world.stop();
    world.kubernetes.addPod({
      metadata: { name: 'late' },
      spec: { nodeName: 'fargate', containers: [{ name: 'c', image: 'i' }] },
    });
    world.provider.calls.length = 0;
    await world.start();
    expect(world.phase('late')).toBe('Running');
    expect(world.provider.calls.filter((call) => call === 'launch')).toHaveLength(1);
    expect(world.provider.live()).toHaveLength(2);
    await world.stop();
  });

  it('with its rows lost adopts what runs, and launches nothing twice', async () => {
    const world = await started();
    const pod = await world.addPod();
    await world.stop();
    world.podStore = new MemoryPodStore();
    world.nodeStore = new MemoryNodeStore();
    await world.start();
    await world.pass(60_000);
    expect(world.provider.workloads(pod.metadata?.uid)).toHaveLength(1);
    expect(world.phase()).toBe('Running');
    await world.deletePod('web');
    expect([world.phase(), world.provider.live()]).toEqual([undefined, []]);
    await world.stop();
  });

  it('lets go of pods that were deleted while nobody looked', async () => {
    const world = await started();
    await world.addPod({ name: 'graceful' });
    await world.addPod({ name: 'forced' });
    await world.stop();
    world.kubernetes.deletePod('default', 'graceful');
    world.kubernetes.deletePod('default', 'forced', 0);
    await world.start();
    expect(world.phase('graceful')).toBeUndefined();
    await world.pass(70_000);
    expect(world.provider.live()).toEqual([]);
    expect(await world.podStore.knownPods('fargate')).toEqual([]);
    await world.stop();
  });

  it('waits for a provider that does not answer yet, and keeps its node alive meanwhile', async () => {
    const world = new ProcessWorld();
    for (let time = 0; time < 6; time += 1) world.provider.faults.failNext('list', new TransientError('no answer'));
    await world.start();
    await world.addPod();
    await world.pass(29_000);
    expect([world.isReady, world.phase()]).toEqual([false, 'Pending']);
    expect(world.kubernetes.count('leases.renew')).toBe(2);
    await world.pass(2_000);
    expect([world.isReady, world.phase()]).toEqual([true, 'Running']);
    await world.stop();
  });
});

describe('a resync', () => {
  it('finds what no event has told, without a request to the API server', async () => {
    const world = await started();
    const pod = await world.addPod();
    const [workload] = world.provider.workloads(pod.metadata?.uid);
    const { onChange } = world.provider;
    world.provider.onChange = () => undefined;
    world.provider.exit(workload?.id ?? '', 0);
    world.provider.onChange = onChange;
    await world.settle();
    world.takeCalls();
    expect(world.provider.live()).toEqual([]);
    await world.pass(60_000);
    expect(world.provider.live()).toHaveLength(1);
    expect(world.takeCalls().filter((call) => !/patchStatus|events/.test(call))).toEqual([]);
    await world.stop();
  });

  it('is left out where that is wanted', async () => {
    const world = new ProcessWorld();
    await world.start({ resyncMs: 0 });
    world.logger.lines.length = 0;
    await world.pass(300_000);
    expect(world.logger.lines.filter(({ message }) => message === 'pods compared')).toEqual([]);
    await world.stop();
  });
});

it('works on ten pods at once where it may, on one where it may not', async () => {
  for (const [workers, most] of [
    [10, 10],
    [1, 1],
  ] as const) {
    const world = new ProcessWorld();
    await world.start({ workers });
    let running = 0;
    let highest = 0;
    world.provider.hook = async (method, when) => {
      if (method !== 'launch') return;
      running += when === 'before' ? 1 : -1;
      highest = Math.max(highest, running);
      if (when === 'before') await world.clock.sleep(1_000);
    };
    for (let pod = 0; pod < 20; pod += 1)
      world.kubernetes.addPod({
        metadata: { name: `p${pod}` },
        spec: { nodeName: 'fargate', containers: [{ name: 'c', image: 'i' }] },
      });
    await world.pass(30_000);
    expect(highest).toBe(most);
    expect(world.provider.live()).toHaveLength(20);
    await world.stop();
  }
});
