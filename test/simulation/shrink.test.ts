import { describe, expect, it } from 'vitest';
import { smallestSubset } from './shrink.ts';
import { runWorlds } from './worlds.ts';

const TIMEOUT_MS = 240_000;
/** Worlds in which `try` grows after a time-out, which sooner or later doubles a task. */
const SEEDS = { from: 1, count: 20, mutant: 'try grows after a time-out', threads: 1 };
const DOUBLED = /^(two live workloads for one pod|attempt \d+ of [a-z0-9.-]+ was started twice)/;

describe('a failing world', () => {
  it(
    'becomes a small one that breaks the same promise, and always the same',
    async () => {
      const [whole, shrunk, again] = await Promise.all([
        runWorlds(SEEDS),
        runWorlds({ ...SEEDS, shrinks: true }),
        runWorlds({ ...SEEDS, shrinks: true }),
      ]);

      expect(whole.failed[0]?.violation?.message).toMatch(DOUBLED);
      expect(shrunk.failed[0]?.violation?.message).toMatch(DOUBLED);
      expect(shrunk.failed[0]?.seed).toBe(whole.failed[0]?.seed);
      expect(again.failed[0]?.history).toEqual(shrunk.failed[0]?.history);
      expect(whole.failed[0]?.mishaps.length).toBeGreaterThan(8);
      expect(shrunk.failed[0]?.mishaps.length).toBeLessThanOrEqual(5);
      expect(shrunk.failed[0]?.history.filter((line) => line.includes('user creates'))).toHaveLength(1);
      expect(shrunk.failed[0]?.history.length).toBeLessThan(25);
    },
    TIMEOUT_MS,
  );

  it('whose bug is not in the source is no world at all', async () => {
    await expect(runWorlds({ ...SEEDS, mutant: 'no such bug' })).rejects.toThrow('there is no mutant "no such bug"');
  });
});

describe('the smallest subset', () => {
  it.each([
    { want: 'one culprit', culprits: [7] },
    { want: 'several that are only bad together', culprits: [0, 5, 11] },
    { want: 'nothing, where it always fails', culprits: [] },
    { want: 'everything, where all are needed', culprits: Array.from({ length: 12 }, (_, index) => index) },
  ])('finds $want', async ({ culprits }) => {
    const items = Array.from({ length: 12 }, (_, index) => index);
    const found = await smallestSubset(items, async (subset) => culprits.every((culprit) => subset.includes(culprit)));
    expect(found).toEqual(culprits);
  });
});
