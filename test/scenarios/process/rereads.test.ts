import { expect, it } from 'vitest';
import { ProcessWorld } from './process-world.ts';

const BEAT = 10_000;
const GENEROUS = { burst: 10_000, perSecond: 10_000 };

/** A process that has so many pods running, all with a readiness probe that has not passed yet. */
const worldWith = async (count: number): Promise<ProcessWorld> => {
  const world = new ProcessWorld();
  world.provider.limit({ launch: GENEROUS, modify: GENEROUS, read: GENEROUS });
  await world.start();
  for (let index = 0; index < count; index += 1)
    await world.addPod({ name: `web-${index}`, containers: [{ readinessProbe: { exec: { command: ['true'] } } }] });
  allAre(world, 'unknown');
  await world.pass(2 * BEAT);
  return world;
};

const allAre = (world: ProcessWorld, health: 'healthy' | 'unknown'): void => {
  for (const { id } of world.provider.live()) world.provider.setHealth(id, health, { silently: true });
};

const readyPods = (world: ProcessWorld): number =>
  world.kubernetes.allPods().filter(({ status }) => status?.containerStatuses?.[0]?.ready).length;

const describesIn = async (world: ProcessWorld, ms: number): Promise<number> => {
  const before = world.provider.calls.length;
  await world.pass(ms);
  return world.provider.calls.slice(before).filter((call) => call === 'describe').length;
};

it('T-06 the health of 200 pods is read by two calls every ten seconds', async () => {
  const world = await worldWith(200);
  world.takeCalls();
  expect(await describesIn(world, 6 * BEAT)).toBe(12);
  expect(world.takeCalls()).toEqual([]);
  await world.stop();
});

it('and no more where it changes for all of them at once', async () => {
  const world = await worldWith(200);
  allAre(world, 'healthy');
  expect(await describesIn(world, BEAT)).toBe(2);
  expect(readyPods(world)).toBe(200);
  await world.stop();
});

it('pods of a process that was killed are read by the next one', async () => {
  const world = await worldWith(3);
  await world.stop();
  allAre(world, 'healthy');
  await world.pass(60_000);
  expect(readyPods(world)).toBe(0);
  await world.start();
  await world.pass(2 * BEAT);
  expect(readyPods(world)).toBe(3);
  await world.stop();
});
