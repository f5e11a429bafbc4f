import { describe, expect, it } from 'vitest';
import { TransientError } from '../../../src/core/errors.ts';
import { ProcessWorld } from './process-world.ts';

const started = async (): Promise<ProcessWorld> => {
  const world = new ProcessWorld();
  await world.start();
  return world;
};

describe('a watch that ends', () => {
  it.each([
    { how: 'C-08 is closed by the server', end: (world: ProcessWorld) => world.watch.close() },
    { how: 'C-08 breaks', end: (world: ProcessWorld) => world.watch.disconnect() },
    { how: 'C-09 is told that its version is gone', end: (world: ProcessWorld) => world.watch.expire() },
  ])('$how: a pod made meanwhile runs, and one deleted meanwhile is stopped', async ({ end }) => {
    const world = await started();
    await world.addPod({ name: 'before' });
    end(world);
    const adding = world.addPod({ name: 'meanwhile' });
    const deleting = world.deletePod('before', 0);
    await Promise.all([adding, deleting]);
    await world.pass(60_000);
    expect(world.phase('meanwhile')).toBe('Running');
    expect(world.provider.live().map(({ podUid }) => podUid)).toEqual([
      world.kubernetes.findPod('default', 'meanwhile')?.metadata?.uid,
    ]);
    await world.stop();
  });

  it('C-09 again and again is not asked for without end', async () => {
    const world = await started();
    const before = world.watch.counts.list + world.watch.counts.watch;
    for (let times = 0; times < 3; times += 1) {
      world.watch.expire();
      await world.pass(1_000);
    }
    expect(world.watch.counts.list + world.watch.counts.watch - before).toBeLessThanOrEqual(10);
    await world.stop();
  });

  it('C-09 and whose list then fails goes on from what it knows', async () => {
    const world = await started();
    await world.addPod();
    world.watch.listErrors.push(new TransientError('503'), new TransientError('503'));
    world.watch.expire();
    await world.pass(60_000);
    expect(world.phase()).toBe('Running');
    expect(world.provider.live()).toHaveLength(1);
    await world.stop();
  });
});
