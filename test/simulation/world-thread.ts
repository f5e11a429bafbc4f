import { parentPort, workerData } from 'node:worker_threads';
import * as z from 'zod/mini';
import { mutantNamed } from './mutants.ts';
import { plant } from './plant.ts';
import type { SimulationResult } from './simulation.ts';
import type { ThreadReport } from './worlds.ts';

const data = z.object({ mutant: z.optional(z.string()), shrinks: z.boolean() });
const seeds = z.object({ from: z.number(), count: z.number() });

const { mutant, shrinks } = data.parse(workerData);
const check = mutant === undefined ? undefined : plant(mutantNamed(mutant));
// Only now: the bug must be there before what it is planted in is loaded.
const { simulate } = await import('./simulation.ts');
const { shrink } = await import('./shrink.ts');
check?.();

parentPort?.on('message', (message) => {
  // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, no window
  void run(seeds.parse(message)).then((report) => parentPort?.postMessage(report));
});

const run = async ({ from, count }: z.infer<typeof seeds>): Promise<ThreadReport> => {
  const failed: SimulationResult[] = [];
  const mishaps = new Map<string, readonly [number, number]>();
  for (let seed = from; seed < from + count; seed += 1) {
    const result = await simulate(seed);
    if (result.violation) failed.push(shrinks && failed.length === 0 ? await shrink(result) : result);
    const kinds = result.mishaps.map((mishap) => mishap.slice(0, mishap.indexOf(':')));
    for (const kind of kinds) {
      const [times, worlds] = mishaps.get(kind) ?? [0, 0];
      mishaps.set(kind, [times + 1, worlds]);
    }
    for (const kind of new Set(kinds)) {
      const [times, worlds] = mishaps.get(kind) ?? [0, 0];
      mishaps.set(kind, [times, worlds + 1]);
    }
  }
  return { failed, mishaps: [...mishaps].map(([kind, [times, worlds]]) => [kind, times, worlds]) };
};
