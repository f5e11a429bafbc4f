import { describe, expect, it } from 'vitest';
import { PodWorld } from '../../support/pod-world.ts';

describe('the life of a plain pod', () => {
  it('runs, succeeds and goes, leaving nothing behind', async () => {
    const world = await PodWorld.create();
    await world.addPod({ restartPolicy: 'Never' });
    const { id } = world.workload;
    expect(world.status().containerStatuses?.[0]?.state).toEqual({ waiting: { reason: 'ContainerCreating' } });

    await world.happens(() => world.provider.run(id, '10.0.0.7'));
    expect(world.status()).toMatchObject({
      phase: 'Running',
      podIP: '10.0.0.7',
      hostIP: '10.0.0.7',
      podIPs: [{ ip: '10.0.0.7' }],
      startTime: '2030-01-01T00:00:00Z',
    });
    expect(world.conditions()).toMatchObject({ Ready: 'True', ContainersReady: 'True', Initialized: 'True' });

    await world.happens(() => world.provider.exit(id, 0));
    expect(world.status().phase).toBe('Succeeded');
    expect(world.conditions()).toMatchObject({ Ready: 'False PodCompleted', Initialized: 'True PodCompleted' });
    expect(world.events()).toEqual([
      'FargateSize: 0.25 vCPU, 512 MiB',
      'Pulling: Pulling image "nginx:1.27"',
      'Pulled: Successfully pulled image "nginx:1.27" in 0ms',
      'Created: Created container: main',
      'Started: Started container main',
    ]);

    world.kubernetes.deletePod('default', 'web');
    await world.pass(30_000);
    expect(world.podStore.rows()).toEqual([]);
    expect(world.queue.length).toBe(0);
  });
});
