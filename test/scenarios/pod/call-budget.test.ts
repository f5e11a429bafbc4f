import { describe, expect, it } from 'vitest';
import { PodWorld } from '../../support/pod-world.ts';

const counted = (names: readonly string[]): Record<string, number> =>
  names.reduce<Record<string, number>>((counts, name) => ({ ...counts, [name]: (counts[name] ?? 0) + 1 }), {});

describe('what one plain pod costs, from bind over Running and Succeeded to deleted', () => {
  it('stays within the budget of outside calls', async () => {
    const world = await PodWorld.create();
    const store: string[] = [];
    world.podStore.before = (method) => void store.push(`pods.${method}`);
    world.nodeStore.before = (method) => void store.push(`nodes.${method}`);

    // ECS tells of ACTIVATING, RUNNING, the stop that has begun, the containers being down, and STOPPED.
    world.notifies = false;
    await world.addPod({ restartPolicy: 'Never', enableServiceLinks: true });
    world.notifies = true;
    const { id } = world.workload;
    await world.happens(() => world.provider.pull(id));
    await world.happens(() => world.provider.run(id));
    await world.happens(() =>
      world.provider.plant({ ...world.provider.get(id), version: 4, phase: 'stopping', stopping: true }),
    );
    await world.happens(() =>
      world.provider.plant({
        ...world.provider.get(id),
        version: 5,
        endedAt: world.clock.now(),
        end: { kind: 'exited', reason: 'Exited', message: 'Essential container in task exited' },
        containers: [{ ...world.provider.get(id).containers[0], name: 'main', state: 'terminated', exitCode: 0 }],
      }),
    );
    expect(world.status().phase).toBe('Succeeded');
    await world.happens(() =>
      world.provider.plant({ ...world.provider.get(id), version: 6, phase: 'stopped', stoppedAt: world.clock.now() }),
    );
    world.kubernetes.deletePod('default', 'web');
    await world.settle();
    expect(world.podStore.rows()).toEqual([]);

    const calls = world.kubernetes.calls.map(({ method }) => method).filter((method) => method !== 'events.create');
    expect(counted(calls)).toEqual({
      'pods.get': 6,
      'pods.patchStatus': 4,
      'sources.services': 1,
      'cluster.namespace': 1,
    });
    expect(counted(world.provider.calls)).toEqual({ provision: 1, launch: 1 });
    expect(counted(store)).toEqual({
      'pods.wakeAndClaim': 2,
      'pods.observeAndClaim': 5,
      'pods.save': 2,
      'pods.release': 6,
      'pods.forget': 1,
      'nodes.get': 2,
    });
  });

  it('counts an observation that comes in one batch with a newer one as one', async () => {
    const world = await PodWorld.create();
    world.notifies = false;
    await world.addPod();
    const { id } = world.workload;
    world.provider.pull(id);
    const older = { kind: 'notification', notification: world.provider.notificationOf(id) } as const;
    world.provider.run(id);
    const newer = { kind: 'notification', notification: world.provider.notificationOf(id) } as const;
    const observed: unknown[] = [];
    world.podStore.before = (method) => void (method.startsWith('observe') && observed.push(method));
    await world.deliver([newer, older]);
    expect(observed).toEqual(['observeAndClaim']);
    expect(world.status().phase).toBe('Running');
  });
});
