import { expect, it } from 'vitest';
import { ProcessWorld } from './process-world.ts';

it('runs a pod and lets it go, in five requests', async () => {
  const world = new ProcessWorld();
  await world.start();
  expect(world.isReady).toBe(true);
  world.takeCalls();

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
