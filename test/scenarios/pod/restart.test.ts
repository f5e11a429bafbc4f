import { describe, expect, it } from 'vitest';
import type { ContainerStatus } from '../../../src/model/kubernetes.ts';
import { PodWorld } from '../../support/pod-world.ts';

const main = (world: PodWorld): ContainerStatus => {
  const [status] = world.status().containerStatuses ?? [];
  if (!status) throw new Error('there is no container status');
  return status;
};

/** Runs the workload that is there for so long, then ends it. */
const crash = async (world: PodWorld, exitCode: number, ranMs = 10_000): Promise<void> => {
  const { id } = world.workload;
  await world.happens(() => world.provider.run(id));
  await world.pass(ranMs);
  await world.happens(() => world.provider.exit(id, exitCode));
};

const secondsToRestart = async (world: PodWorld): Promise<number> => {
  for (let waited = 0; waited <= 320; waited += 10) {
    if (world.provider.live().length > 0) return waited;
    await world.pass(10_000);
  }
  throw new Error('it is not restarted');
};

describe('restarting', () => {
  it('S-18 restarts at once, then after 10 s, doubling to 5 min', async () => {
    const world = await PodWorld.create();
    await world.addPod();
    const waits: number[] = [];
    for (let crashes = 0; crashes < 8; crashes += 1) {
      await crash(world, 1);
      waits.push(await secondsToRestart(world));
    }
    expect(waits).toEqual([0, 10, 20, 40, 80, 160, 300, 300]);
    expect(main(world)).toMatchObject({ restartCount: 8 });
  });

  it('S-18 shows the wait as a kubelet does, with the end of the run before', async () => {
    const world = await PodWorld.create();
    const { metadata } = await world.addPod();
    await crash(world, 1);
    await crash(world, 7);
    expect(world.status().phase).toBe('Running');
    expect(main(world)).toMatchObject({
      ready: false,
      restartCount: 1,
      state: {
        waiting: {
          reason: 'CrashLoopBackOff',
          message: `back-off 10s restarting failed container=main pod=web_default(${metadata?.uid})`,
        },
      },
      lastState: { terminated: { exitCode: 7, reason: 'Error' } },
    });
    expect(world.events()).toContain(
      `BackOff: Back-off restarting failed container main in pod web_default(${metadata?.uid})`,
    );
    await world.pass(10_000);
    await world.happens(() => world.provider.run(world.workload.id));
    expect(main(world)).toMatchObject({ ready: true, restartCount: 2, lastState: { terminated: { exitCode: 7 } } });
  });

  it('forgets its back-off after a run of more than ten minutes', async () => {
    const world = await PodWorld.create();
    await world.addPod();
    for (let crashes = 0; crashes < 3; crashes += 1) {
      await crash(world, 1);
      await secondsToRestart(world);
    }
    await crash(world, 1, 11 * 60_000);
    expect(await secondsToRestart(world)).toBe(0);
    await crash(world, 1);
    expect(await secondsToRestart(world)).toBe(10);
  });

  it.each([
    { restartPolicy: 'Never', exitCode: 7, phase: 'Failed' },
    { restartPolicy: 'Never', exitCode: 0, phase: 'Succeeded' },
    { restartPolicy: 'OnFailure', exitCode: 0, phase: 'Succeeded' },
    { restartPolicy: 'OnFailure', exitCode: 7, phase: 'Running' },
    { restartPolicy: 'Always', exitCode: 0, phase: 'Running' },
  ])('S-01 $restartPolicy with exit code $exitCode: $phase', async ({ restartPolicy, exitCode, phase }) => {
    const world = await PodWorld.create();
    await world.addPod({ restartPolicy });
    await crash(world, exitCode);
    expect(world.status().phase).toBe(phase);
    expect(world.provider.live()).toHaveLength(phase === 'Running' ? 1 : 0);
  });

  it('C-02 a restart has a token of its own', async () => {
    const world = await PodWorld.create();
    await world.addPod();
    await crash(world, 1);
    expect(world.provider.workloads().map(({ attempt, try: number }) => `${attempt}.${number}`)).toEqual([
      '1.1',
      '2.1',
    ]);
  });

  it('has a new address after a restart, and only that', async () => {
    const world = await PodWorld.create();
    await world.addPod();
    await world.happens(() => world.provider.run(world.workload.id, '10.0.0.1'));
    await world.happens(() => world.provider.exit(world.workload.id, 1));
    await world.happens(() => world.provider.run(world.workload.id, '10.0.0.2'));
    expect(world.status()).toMatchObject({
      podIP: '10.0.0.2',
      podIPs: [{ ip: '10.0.0.2' }],
      hostIPs: [{ ip: '10.0.0.2' }],
    });
    expect(world.status().podIPs).toHaveLength(1);
    expect(world.events().filter((event) => event.startsWith('RestartedAsNewTask'))).toHaveLength(1);
  });

  it('L-13 an image edited in place is told once and reaches the next attempt', async () => {
    const world = await PodWorld.create();
    await world.addPod();
    await world.happens(() => world.provider.run(world.workload.id));
    world.kubernetes.updatePod('default', 'web', (pod) => ({
      ...pod,
      spec: { ...pod.spec, containers: [{ name: 'main', image: 'nginx:1.28' }] },
    }));
    await world.pass(180_000);
    expect(world.status().phase).toBe('Running');
    expect(world.events().filter((event) => event.startsWith('UpdateNotSupported'))).toHaveLength(1);
    await world.happens(() => world.provider.exit(world.workload.id, 1));
    expect(world.workload.containers[0]?.image).toBe('nginx:1.28');
  });
});

describe('the condition ConfigIssue, which Job failure policies ask for', () => {
  const failing = async (times: number): Promise<PodWorld> => {
    const world = await PodWorld.create();
    await world.addPod({ restartPolicy: 'Never' });
    for (let failures = 0; failures < times; failures += 1) {
      await world.happens(() => world.provider.failToStart(world.workload.id, 'ErrImagePull', 'not found'));
      while (world.provider.live().length === 0) await world.pass(10_000);
    }
    return world;
  };

  it('is not set for one pull that failed: registries have bad moments', async () => {
    expect((await failing(1)).conditions()).not.toHaveProperty('ConfigIssue');
  });

  it('is set from the second failure on, stays when the pod is deleted, and is taken back once the image is there', async () => {
    const world = await failing(2);
    expect(world.conditions()['ConfigIssue']).toBe('True ErrImagePull');
    await world.happens(() => world.provider.run(world.workload.id));
    expect(world.conditions()['ConfigIssue']).toBe('False ErrImagePull');

    const other = await failing(2);
    const seen: unknown[] = [];
    other.kubernetes.onPod((_change, { status }) =>
      seen.push([status?.phase, status?.conditions?.find(({ type }) => type === 'ConfigIssue')?.status]),
    );
    other.provider.stopsAtOnce = false;
    const { id } = other.workload;
    other.kubernetes.deletePod('default', 'web');
    await other.settle();
    await other.happens(() => other.provider.exit(id));
    expect(seen.at(-1)).toEqual(['Failed', 'True']);
  });

  it('is set where something the pod refers to is not there', async () => {
    const world = await PodWorld.create();
    await world.addPod({
      containers: [{ env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'absent', key: 'a' } } }] }],
    });
    expect(world.conditions()['ConfigIssue']).toBe('True CreateContainerConfigError');
  });

  it('is left to whoever else has written it', async () => {
    const world = await PodWorld.create();
    const conditions = [{ type: 'ConfigIssue', status: 'True', reason: 'NonExistingImage' }];
    await world.addPod({ restartPolicy: 'Never', status: { conditions } });
    for (let failures = 0; failures < 2; failures += 1) {
      await world.happens(() => world.provider.failToStart(world.workload.id, 'ErrImagePull', 'not found'));
      while (world.provider.live().length === 0) await world.pass(10_000);
    }
    expect(world.conditions()['ConfigIssue']).toBe('True NonExistingImage');
    await world.happens(() => world.provider.run(world.workload.id));
    expect(world.conditions()['ConfigIssue']).toBe('True NonExistingImage');
  });
});

describe('an image that cannot be had', () => {
  it("is tried again whatever the restart policy says, with kubelet's waits", async () => {
    const world = await PodWorld.create();
    await world.addPod({ restartPolicy: 'Never' });
    const waits: number[] = [];
    for (let times = 0; times < 6; times += 1) {
      await world.happens(() => world.provider.failToStart(world.workload.id, 'ErrImagePull', 'not found'));
      waits.push(await secondsToRestart(world));
    }
    expect(waits).toEqual([10, 20, 40, 80, 160, 300]);
    expect(world.status().phase).toBe('Pending');
    expect(main(world).restartCount).toBe(0);
  });

  it('whose name cannot be read stays InvalidImageName, as with a kubelet', async () => {
    const world = await PodWorld.create();
    await world.addPod();
    for (let failures = 0; failures < 2; failures += 1) {
      await world.happens(() => world.provider.failToStart(world.workload.id, 'InvalidImageName', 'invalid reference'));
      expect(main(world).state?.waiting?.reason).toBe('InvalidImageName');
      await world.pass(10_000);
      expect(main(world).state?.waiting?.reason).toBe('InvalidImageName');
      while (world.provider.live().length === 0) await world.pass(10_000);
    }
  });

  it('shows ErrImagePull first and ImagePullBackOff from then on, until it is there', async () => {
    const world = await PodWorld.create();
    await world.addPod();
    const fail = () => world.happens(() => world.provider.failToStart(world.workload.id, 'ErrImagePull', 'not found'));
    await fail();
    expect(main(world).state).toEqual({ waiting: { reason: 'ErrImagePull', message: 'not found' } });
    await world.pass(10_000);
    await fail();
    await world.pass(10_000);
    expect(main(world).state?.waiting).toEqual({
      reason: 'ImagePullBackOff',
      message: 'Back-off pulling image "nginx:1.27": ErrImagePull: not found',
    });
    await world.pass(10_000);
    expect(main(world).state?.waiting?.reason).toBe('ImagePullBackOff');
    await world.happens(() => world.provider.run(world.workload.id));
    expect(main(world)).toMatchObject({ ready: true, restartCount: 0 });
    expect(world.events()).toEqual(
      expect.arrayContaining([
        'Failed: Failed to pull image "nginx:1.27": not found',
        'Failed: Error: ErrImagePull',
        'BackOff: Back-off pulling image "nginx:1.27"',
        'Failed: Error: ImagePullBackOff',
      ]),
    );
  });
});

describe('what takes a task away', () => {
  const disrupt = async (wish: object): Promise<PodWorld> => {
    const world = await PodWorld.create();
    await world.addPod(wish);
    const { id } = world.workload;
    await world.happens(() => world.provider.run(id));
    await world.happens(() => world.provider.disrupt(id, 'SpotInterruption', 'Your Spot Task was interrupted.', 143));
    return world;
  };

  it("L-17 fails a job's pod with the condition failure policies look for", async () => {
    const world = await disrupt({ restartPolicy: 'Never' });
    expect(world.status()).toMatchObject({ phase: 'Failed', reason: 'FargateTaskStopped' });
    expect(world.conditions()['DisruptionTarget']).toBe('True TerminationByKubelet');
  });

  it('L-17 fails a replica, which its controller replaces', async () => {
    const ownerReferences = [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', uid: 'r', controller: true }];
    const world = await disrupt({ metadata: { ownerReferences } });
    expect(world.status().phase).toBe('Failed');
    expect(world.provider.live()).toEqual([]);
  });

  it('L-17 runs a bare pod again', async () => {
    const world = await disrupt({});
    expect(world.status().phase).toBe('Running');
    expect(world.workload.attempt).toBe(2);
    expect(world.conditions()).not.toHaveProperty('DisruptionTarget');
  });
});

describe('activeDeadlineSeconds', () => {
  it('ends the pod, also while it waits for a restart', async () => {
    const world = await PodWorld.create();
    await world.addPod({ activeDeadlineSeconds: 60, restartPolicy: 'OnFailure' });
    await world.happens(() => world.provider.run(world.workload.id));
    await world.pass(50_000);
    expect(world.status().phase).toBe('Running');
    await world.pass(20_000);
    expect(world.status()).toMatchObject({
      phase: 'Failed',
      reason: 'DeadlineExceeded',
      message: 'Pod was active on the node longer than the specified deadline',
    });
    expect(world.provider.live()).toEqual([]);
  });

  it('ends a pod that could not be launched in time, counted from its binding', async () => {
    const world = await PodWorld.create();
    for (let launches = 0; launches < 20; launches += 1)
      world.provider.faults.nextLaunch({ kind: 'refused', cause: 'capacity', final: true, message: 'none left' });
    await world.addPod({ activeDeadlineSeconds: 60, restartPolicy: 'Never' });
    await world.pass(50_000);
    expect(world.status()).toMatchObject({ phase: 'Pending', reason: 'OutOfCapacity' });
    await world.pass(10_000);
    expect(world.status()).toMatchObject({ phase: 'Failed', reason: 'DeadlineExceeded' });
    const launches = world.provider.calls.filter((call) => call === 'launch').length;
    await world.pass(600_000);
    expect(world.provider.calls.filter((call) => call === 'launch')).toHaveLength(launches);
  });

  it('is counted from the launch where there was one', async () => {
    const world = await PodWorld.create();
    world.provider.faults.nextLaunch({ kind: 'refused', cause: 'capacity', final: true, message: 'none left' });
    await world.addPod({ activeDeadlineSeconds: 60, restartPolicy: 'Never' });
    await world.pass(10_000);
    await world.happens(() => world.provider.run(world.workload.id));
    await world.pass(50_000);
    expect(world.status().phase).toBe('Running');
    await world.pass(20_000);
    expect(world.status().phase).toBe('Failed');
  });

  it('that is shortened while the pod runs counts by its new value', async () => {
    const world = await PodWorld.create();
    await world.addPod({ activeDeadlineSeconds: 3_600, restartPolicy: 'Never' });
    await world.happens(() => world.provider.run(world.workload.id));
    await world.pass(60_000);
    world.kubernetes.updatePod('default', 'web', (pod) => ({
      ...pod,
      spec: { ...pod.spec, containers: pod.spec?.containers ?? [], activeDeadlineSeconds: 90 },
    }));
    // Nobody is told of an edit: the next resync sees it.
    await world.pass(60_000);
    expect(world.status()).toMatchObject({ phase: 'Failed', reason: 'DeadlineExceeded' });
  });

  it('is not over before everything has stopped', async () => {
    const world = await PodWorld.create();
    world.provider.stopsAtOnce = false;
    await world.addPod({ activeDeadlineSeconds: 60, restartPolicy: 'Never' });
    const { id } = world.workload;
    await world.happens(() => world.provider.run(id));
    await world.pass(80_000);
    expect(world.provider.get(id).stopping).toBe(true);
    expect(world.status().phase).toBe('Running');
    await world.happens(() => world.provider.exit(id, 0));
    expect(world.status()).toMatchObject({ phase: 'Failed', reason: 'DeadlineExceeded' });
  });
});
