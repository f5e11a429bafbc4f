import { describe, expect, it } from 'vitest';
import { PodWorld } from '../../support/pod-world.ts';

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
