import { describe, expect, it } from 'vitest';
import type { Container } from '../../../src/model/kubernetes.ts';
import type { PodWish } from '../../support/a-pod.ts';
import { PodWorld } from '../../support/pod-world.ts';

const sleeps = (seconds: number): Partial<Container> => ({ lifecycle: { preStop: { sleep: { seconds } } } });

const running = async (wish: PodWish): Promise<{ world: PodWorld; id: string }> => {
  const world = await PodWorld.create();
  world.provider.stopsAtOnce = false;
  await world.addPod(wish);
  const { id } = world.workload;
  await world.happens(() => world.provider.run(id));
  return { world, id };
};

/** When the stop is asked for, in seconds from now; undefined where it is not within two minutes. */
const secondsToStop = async (world: PodWorld, id: string): Promise<number | undefined> => {
  for (let waited = 0; waited <= 120; waited += 10) {
    if (world.provider.get(id).stopping) return waited;
    await world.pass(10_000);
  }
  return undefined;
};

describe('the sleep of a preStop hook', () => {
  it.each([
    { when: 'it fits into the grace period', sleep: 20, grace: 60, stopped: 20 },
    { when: 'it is as long as the grace period', sleep: 30, grace: 30, stopped: 30 },
    { when: 'the grace period is shorter', sleep: 100, grace: 30, stopped: 30 },
    { when: 'there is none', sleep: 0, grace: 30, stopped: 0 },
  ])('comes before the stop: $when', async ({ sleep, grace, stopped }) => {
    const { world, id } = await running({ containers: [sleeps(sleep)], terminationGracePeriodSeconds: grace });
    world.kubernetes.deletePod('default', 'web');
    await world.settle();
    expect(await secondsToStop(world, id)).toBe(stopped);
  });

  it('is cut short by a second deletion with less grace', async () => {
    const { world, id } = await running({ containers: [sleeps(100)], terminationGracePeriodSeconds: 120 });
    world.kubernetes.deletePod('default', 'web');
    await world.pass(20_000);
    expect(world.provider.get(id).stopping).toBe(false);
    world.kubernetes.deletePod('default', 'web', 10);
    await world.pass(1_000);
    expect(world.provider.get(id).stopping).toBe(true);
  });

  it('is left out by a force delete', async () => {
    const { world, id } = await running({ containers: [sleeps(100)], terminationGracePeriodSeconds: 120 });
    world.kubernetes.deletePod('default', 'web', 0);
    await world.pass(1_000);
    expect(world.provider.get(id).stopping).toBe(true);
  });

  it('is over when the container ends by itself', async () => {
    const { world, id } = await running({ containers: [sleeps(100)], terminationGracePeriodSeconds: 120 });
    world.kubernetes.deletePod('default', 'web');
    await world.pass(10_000);
    await world.happens(() => world.provider.exit(id, 0));
    expect(world.kubernetes.findPod('default', 'web')).toBeUndefined();
  });

  it('is not waited for where nothing runs yet', async () => {
    const world = await PodWorld.create();
    world.provider.stopsAtOnce = false;
    await world.addPod({ containers: [sleeps(20)] });
    const { id } = world.workload;
    world.kubernetes.deletePod('default', 'web');
    await world.settle();
    expect(world.provider.get(id).stopping).toBe(true);
  });

  it('keeps the pod ready meanwhile, for what is still on its way to it', async () => {
    const { world } = await running({ containers: [sleeps(20)], terminationGracePeriodSeconds: 60 });
    world.kubernetes.deletePod('default', 'web');
    await world.pass(10_000);
    expect(world.conditions()['Ready']).toBe('True');
  });

  it('comes before the stop by a deadline, too', async () => {
    const { world, id } = await running({ containers: [sleeps(20)], activeDeadlineSeconds: 60 });
    await world.pass(70_000);
    expect(world.provider.get(id).stopping).toBe(false);
    await world.pass(20_000);
    expect(world.provider.get(id).stopping).toBe(true);
  });
});
