import { type SimulationOptions, type SimulationResult, simulate } from './simulation.ts';

/** Enough for any world so far; a smaller world is a comfort, not a must. */
const MOST_RUNS = 1_000;

/**
 * The smallest world found that breaks the same promise as this one: mishaps that are not needed do not happen (users' deeds
 * among them, so that pods go, too), and calls take no time where that does not matter. The same world is always shrunk to
 * the same.
 */
export const shrink = async (failing: SimulationResult): Promise<SimulationResult> => {
  const promise = promiseOf(failing);
  let smallest = failing;
  let runs = 0;
  const fails = async (options: SimulationOptions): Promise<boolean> => {
    runs += 1;
    const result = await simulate(failing.seed, options);
    if (promiseOf(result) !== promise) return false;
    smallest = result;
    return true;
  };
  const only = await smallestSubset(failing.mishaps, (mishaps) =>
    runs < MOST_RUNS ? fails({ profile: failing.profile, only: new Set(mishaps) }) : Promise.resolve(false),
  );
  for (const quieter of [{ latencyMs: 0 }, { skewMs: 0 }])
    await fails({ profile: { ...smallest.profile, ...quieter }, only: new Set(only) });
  return smallest;
};

/** The broken promise without the names and numbers of this world. */
const promiseOf = ({ violation }: SimulationResult): string | undefined =>
  violation?.message.replace(/(fake\/)?[a-z0-9-]+\.\d+(\/[\d.]+)?/g, '…').replace(/\d+/g, '…');

/**
 * Delta debugging (Zeller's ddmin): a subset for which `fails` still holds and from which no single item can be taken.
 * `fails` must hold for all of `items`.
 */
export const smallestSubset = async <T>(
  items: readonly T[],
  fails: (subset: readonly T[]) => Promise<boolean>,
): Promise<readonly T[]> => {
  let kept = items;
  for (let parts = 2; kept.length > 0; ) {
    const size = Math.ceil(kept.length / parts);
    const smaller = await firstFailing(complements(kept, size), fails);
    if (smaller) {
      kept = smaller;
      parts = Math.max(2, parts - 1);
    } else if (size === 1) return kept;
    else parts = Math.min(parts * 2, kept.length);
  }
  return kept;
};

/** The items without each part of `size`, one after the other. */
const complements = <T>(items: readonly T[], size: number): readonly (readonly T[])[] =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, part) => [
    ...items.slice(0, part * size),
    ...items.slice((part + 1) * size),
  ]);

const firstFailing = async <T>(
  subsets: readonly (readonly T[])[],
  fails: (subset: readonly T[]) => Promise<boolean>,
): Promise<readonly T[] | undefined> => {
  for (const subset of subsets) if (await fails(subset)) return subset;
  return undefined;
};
