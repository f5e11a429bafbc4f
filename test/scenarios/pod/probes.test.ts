import { describe, expect, it } from 'vitest';
import type { Container } from '../../../src/model/kubernetes.ts';
import type { PodWish } from '../../support/a-pod.ts';
import { PodWorld } from '../../support/pod-world.ts';
import { main } from './main-container.ts';

const exec = { command: ['cat', '/tmp/ok'] };

/** A pod whose container runs; ECS knows nothing of its health yet, and tells nobody when it does. */
const running = async (container: Partial<Container>, wish: PodWish = {}): Promise<{ world: PodWorld; id: string }> => {
  const world = await PodWorld.create();
  await world.addPod({ ...wish, containers: [container] });
  const { id } = world.workload;
  world.provider.setHealth(id, 'unknown', { silently: true });
  await world.happens(() => world.provider.run(id));
  return { world, id };
};

const becomes = (world: PodWorld, id: string, health: 'healthy' | 'unhealthy'): void =>
  void world.provider.setHealth(id, health, { silently: true });

describe('a readiness probe', () => {
  it('S-15 makes the pod ready once it passes, found out by the next beats', async () => {
    const { world, id } = await running({ readinessProbe: { exec } });
    await world.pass(30_000);
    expect(main(world)).toMatchObject({ ready: false, started: true });
    expect(world.conditions()['Ready']).toBe('False ContainersNotReady');
    becomes(world, id, 'healthy');
    await world.pass(20_000);
    expect(main(world).ready).toBe(true);
    expect(world.conditions()['Ready']).toBe('True');
  });

  it('takes the pod out of service while it fails, and never restarts it', async () => {
    const { world, id } = await running({ readinessProbe: { exec } });
    becomes(world, id, 'healthy');
    await world.pass(20_000);
    becomes(world, id, 'unhealthy');
    await world.pass(20_000);
    expect(main(world)).toMatchObject({ ready: false, restartCount: 0 });
    expect(world.events()).toContain('Unhealthy: Readiness probe failed: the command fails');
    await world.pass(600_000);
    expect(world.workload.id).toBe(id);
    becomes(world, id, 'healthy');
    await world.pass(20_000);
    expect(main(world).ready).toBe(true);
  });

  it('keeps what is known of it when a notification without health comes', async () => {
    const { world, id } = await running({ readinessProbe: { exec } });
    becomes(world, id, 'healthy');
    await world.pass(20_000);
    await world.happens(() => world.provider.touch(id));
    expect(main(world).ready).toBe(true);
  });
});

describe('a liveness probe', () => {
  const liveness = { livenessProbe: { exec, periodSeconds: 10, failureThreshold: 3 } };

  it('does not keep the pod from being ready', async () => {
    const { world } = await running(liveness);
    expect(main(world)).toMatchObject({ ready: true, started: true });
  });

  it('that fails has the container restarted, as a crash', async () => {
    const { world, id } = await running(liveness);
    becomes(world, id, 'unhealthy');
    await world.pass(40_000);
    expect(world.provider.get(id).phase).toBe('stopped');
    expect(world.workload).toMatchObject({ attempt: 2 });
    await world.happens(() => world.provider.run(world.workload.id));
    expect(main(world)).toMatchObject({ restartCount: 1, lastState: { terminated: { exitCode: 143 } } });
    expect(world.events()).toContain('Unhealthy: Liveness probe failed: the command fails');
    expect(world.events()).toContain('Killing: Container main failed liveness probe, will be restarted');
  });

  it('restarts what ends without a fault when it is told to, as a kubelet does', async () => {
    const { world, id } = await running(liveness, { restartPolicy: 'OnFailure' });
    world.provider.stopsAtOnce = false;
    becomes(world, id, 'unhealthy');
    await world.pass(40_000);
    const stopping = world.provider.get(id);
    expect(stopping.stopping).toBe(true);
    // Its container has ended, the task is still on its way out: nothing says that the pod is over.
    await world.happens(() =>
      world.provider.plant({
        ...stopping,
        version: stopping.version + 1,
        containers: stopping.containers.map((one) => ({ ...one, state: 'terminated', exitCode: 0 })),
      }),
    );
    expect(world.status().phase).toBe('Running');
    await world.happens(() => world.provider.exit(id, 0));
    expect(world.status().phase).toBe('Running');
    expect(world.workload).toMatchObject({ attempt: 2 });
    await world.happens(() => world.provider.run(world.workload.id));
    expect(main(world)).toMatchObject({ restartCount: 1, lastState: { terminated: { exitCode: 0 } } });
  });

  it('that fails in a pod that is deleted meanwhile restarts nothing', async () => {
    const { world, id } = await running(liveness, { restartPolicy: 'OnFailure' });
    world.provider.stopsAtOnce = false;
    becomes(world, id, 'unhealthy');
    await world.pass(40_000);
    world.kubernetes.deletePod('default', 'web');
    await world.settle();
    await world.happens(() => world.provider.exit(id, 0));
    expect(world.kubernetes.findPod('default', 'web')).toBeUndefined();
    expect(world.provider.workloads()).toHaveLength(1);
  });

  it('fails the pod where nothing is restarted', async () => {
    const { world, id } = await running(liveness, { restartPolicy: 'Never' });
    becomes(world, id, 'unhealthy');
    await world.pass(40_000);
    expect(world.status()).toMatchObject({ phase: 'Failed' });
    expect(world.events()).toContain('Killing: Container main failed liveness probe');
  });

  it('waits for its own threshold where readiness gives up sooner', async () => {
    const { world, id } = await running({
      readinessProbe: { exec, periodSeconds: 10, failureThreshold: 1 },
      livenessProbe: { exec, periodSeconds: 10, failureThreshold: 12 },
    });
    becomes(world, id, 'healthy');
    await world.pass(200_000);
    becomes(world, id, 'unhealthy');
    await world.pass(100_000);
    expect(main(world).ready).toBe(false);
    expect(world.provider.get(id).stopping).toBe(false);
    await world.pass(40_000);
    expect(world.provider.get(id).stopping).toBe(true);
  });

  it('is given its initial delay, however soon the check fails', async () => {
    const { world, id } = await running({
      livenessProbe: { exec, initialDelaySeconds: 100, periodSeconds: 10, failureThreshold: 3 },
    });
    becomes(world, id, 'unhealthy');
    await world.pass(120_000);
    expect(world.provider.get(id).stopping).toBe(false);
    await world.pass(20_000);
    expect(world.provider.get(id).stopping).toBe(true);
  });

  it('that goes on failing is not given more time because somebody looks at the pod', async () => {
    const { world, id } = await running({ livenessProbe: { exec, periodSeconds: 10, failureThreshold: 30 } });
    becomes(world, id, 'healthy');
    await world.pass(600_000);
    becomes(world, id, 'unhealthy');
    for (let looks = 0; looks < 19; looks += 1) {
      world.wake(world.pod(), 'resync');
      await world.pass(10_000);
    }
    expect(world.provider.get(id).stopping).toBe(false);
    world.wake(world.pod(), 'resync');
    await world.pass(30_000);
    expect(world.provider.get(id).stopping).toBe(true);
  });

  it('waits for more failures than a health check can count', async () => {
    const { world, id } = await running({ livenessProbe: { exec, periodSeconds: 10, failureThreshold: 30 } });
    becomes(world, id, 'healthy');
    await world.pass(600_000);
    becomes(world, id, 'unhealthy');
    await world.pass(190_000);
    expect(world.provider.get(id).stopping).toBe(false);
    await world.pass(30_000);
    expect(world.provider.get(id).stopping).toBe(true);
  });

  it('goes through crash back-off where it fails again and again', async () => {
    const { world } = await running(liveness);
    for (let failures = 0; failures < 2; failures += 1) {
      const { id } = world.workload;
      if (world.workload.phase !== 'running') await world.happens(() => world.provider.run(id));
      becomes(world, id, 'unhealthy');
      await world.pass(40_000);
    }
    expect(world.provider.workloads()).toHaveLength(3);
    await world.happens(() => world.provider.run(world.workload.id));
    becomes(world, world.workload.id, 'unhealthy');
    await world.pass(40_000);
    expect(main(world).state?.waiting?.reason).toBe('CrashLoopBackOff');
  });
});

describe('a pod that is restarted for ever', () => {
  it('has a row that does not grow: a table takes 400 KB', async () => {
    const world = await PodWorld.create();
    const { metadata } = await world.addPod({ containers: [{ livenessProbe: { exec, failureThreshold: 1 } }] });
    const sizes: number[] = [];
    for (let restarts = 0; restarts < 30; restarts += 1) {
      const { id } = world.workload;
      await world.happens(() => world.provider.run(id));
      becomes(world, id, 'unhealthy');
      while (world.provider.get(id).phase !== 'stopped') await world.pass(10_000);
      while (world.provider.live().length === 0) await world.pass(60_000);
      sizes.push(JSON.stringify(world.podStore.rows().find(({ pod }) => pod.uid === metadata?.uid)).length);
    }
    expect(main(world).restartCount).toBeGreaterThanOrEqual(29);
    expect((sizes.at(-1) ?? 0) - (sizes[9] ?? 0)).toBeLessThan(100);
  });
});

describe('a startup probe', () => {
  const startup = { startupProbe: { exec, periodSeconds: 10, failureThreshold: 6 } };

  it('holds the pod back until it passes, and is never asked again', async () => {
    const { world, id } = await running(startup);
    await world.pass(20_000);
    expect(main(world)).toMatchObject({ started: false, ready: false });
    becomes(world, id, 'healthy');
    await world.pass(20_000);
    expect(main(world)).toMatchObject({ started: true, ready: true });
    becomes(world, id, 'unhealthy');
    await world.pass(600_000);
    expect(main(world)).toMatchObject({ started: true, ready: true, restartCount: 0 });
  });

  it('that does not pass in its time has the container restarted, and not before', async () => {
    const { world, id } = await running(startup);
    becomes(world, id, 'unhealthy');
    await world.pass(50_000);
    expect(world.provider.get(id).stopping).toBe(false);
    await world.pass(20_000);
    expect(world.provider.get(id).stopping).toBe(true);
    expect(world.events()).toContain('Killing: Container main failed startup probe, will be restarted');
  });

  it('is passed by every run for itself', async () => {
    const { world, id } = await running(startup);
    becomes(world, id, 'healthy');
    await world.pass(20_000);
    await world.happens(() => world.provider.exit(id, 1));
    const next = world.workload.id;
    world.provider.setHealth(next, 'unknown', { silently: true });
    await world.happens(() => world.provider.run(next));
    await world.pass(20_000);
    expect(main(world)).toMatchObject({ started: false, ready: false, restartCount: 1 });
  });
});

describe('health', () => {
  it('is asked for by one call for all pods of a batch, and not at all where nothing checks it', async () => {
    const world = await PodWorld.create();
    for (const name of ['a', 'b', 'c']) await world.addPod({ name, containers: [{ readinessProbe: { exec } }] });
    await world.addPod({ name: 'plain' });
    for (const { id } of world.provider.live()) await world.happens(() => world.provider.run(id));
    await world.pass(20_000);
    const asked = world.provider.calls.filter((call) => call === 'describe').length;
    await world.pass(100_000);
    expect(world.provider.calls.filter((call) => call === 'describe').length - asked).toBe(10);
  });
});
