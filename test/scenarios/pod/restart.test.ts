import { describe, expect, it } from 'vitest';
import { PodWorld } from '../../support/pod-world.ts';
import { main } from './main-container.ts';
import { secondsToRestart } from './restarts.ts';

/** Runs the workload that is there for so long, then ends it. */
const crash = async (world: PodWorld, exitCode: number, ranMs = 10_000): Promise<void> => {
  const { id } = world.workload;
  await world.happens(() => world.provider.run(id));
  await world.pass(ranMs);
  await world.happens(() => world.provider.exit(id, exitCode));
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
