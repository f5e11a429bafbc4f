import { beforeAll, describe, expect, it } from 'vitest';
import { simulate } from './simulation.ts';
import { runWorlds, type Worlds } from './worlds.ts';

const WORLDS = 2_000;
/** Under a minute on two cores, several where others use them, too. */
const TIMEOUT_MS = 900_000;

describe('any world', () => {
  let worlds: Worlds;

  beforeAll(async () => {
    worlds = await runWorlds({ from: 1, count: WORLDS, mostFailures: 1, shrinks: true });
  }, TIMEOUT_MS);

  it('keeps every promise', () => {
    const [first] = worlds.failed;
    expect(first?.violation?.message, `seed ${first?.seed}\n${first?.history.join('\n')}`).toBeUndefined();
    expect(worlds.count).toBe(WORLDS);
  });

  it.each([
    'account busy',
    'admission lost',
    'check fails',
    'cluster swapped',
    'death',
    'deleted by force',
    'error',
    'event late',
    'event lost',
    'event twice',
    'false absence',
    'hidden at first',
    'hidden later',
    'kubernetes down',
    'launch arrives late',
    'launch fault',
    'message twice',
    'podStore down',
    'process outlives its time',
    'provider down',
    'queue down',
    'stall',
    'start fails',
    'table lost',
    'taken away',
    'throttle',
    'we are down',
  ])('was tried by: %s', (kind) => {
    expect(worlds.mishaps.get(kind)?.worlds).toBeGreaterThan(WORLDS / 100);
  });

  it('is the same again for the same seed', async () => {
    expect((await simulate(13)).history).toEqual((await simulate(13)).history);
  });
});
