import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import type { SimulationResult } from './simulation.ts';

/** A worker is given so many seeds at once: few enough that both end at the same time. */
const SEEDS_AT_ONCE = 20;

/** More of them are not worth the time they take to warm up. */
const MOST_THREADS = 4;

/** What a thread is to do. */
export interface Seeds {
  readonly from: number;
  readonly count: number;
}

export interface WorldsOptions extends Seeds {
  /** Name of the deliberate bug that the threads are to run with. */
  readonly mutant?: string;
  /** The first failing world of some seeds is told as the smallest that fails in the same way. */
  readonly shrinks?: boolean;
  /** No new world is begun once so many have failed. */
  readonly mostFailures?: number;
  readonly threads?: number;
}

/** What came of many worlds. */
export interface Worlds {
  readonly count: number;
  /** Those that broke a promise, lowest seed first. */
  readonly failed: readonly SimulationResult[];
  /** How often each kind of mishap befell a world, and in how many worlds. */
  readonly mishaps: ReadonlyMap<string, { readonly times: number; readonly worlds: number }>;
}

/** What a thread tells of its seeds. Histories of worlds in which all went well are not told. */
export interface ThreadReport {
  readonly failed: readonly SimulationResult[];
  readonly mishaps: readonly (readonly [kind: string, times: number, worlds: number])[];
}

/** Runs the worlds of these seeds on several threads. Rejects where a thread cannot run at all. */
export const runWorlds = async ({
  from,
  count,
  mutant,
  shrinks = false,
  mostFailures = Number.POSITIVE_INFINITY,
  threads = Math.min(availableParallelism(), MOST_THREADS),
}: WorldsOptions): Promise<Worlds> => {
  const failed: SimulationResult[] = [];
  const mishaps = new Map<string, { readonly times: number; readonly worlds: number }>();
  let next = from;
  const take = (report?: ThreadReport): Seeds | undefined => {
    failed.push(...(report?.failed ?? []));
    for (const [kind, times, worlds] of report?.mishaps ?? []) {
      const known = mishaps.get(kind) ?? { times: 0, worlds: 0 };
      mishaps.set(kind, { times: known.times + times, worlds: known.worlds + worlds });
    }
    if (next >= from + count || failed.length >= mostFailures) return undefined;
    const seeds = { from: next, count: Math.min(SEEDS_AT_ONCE, from + count - next) };
    next += seeds.count;
    return seeds;
  };
  await Promise.all(Array.from({ length: threads }, () => runThread({ mutant, shrinks }, take)));
  return { count: next - from, failed: failed.sort((a, b) => a.seed - b.seed), mishaps };
};

const runThread = (
  workerData: { readonly mutant: string | undefined; readonly shrinks: boolean },
  take: (report?: ThreadReport) => Seeds | undefined,
): Promise<void> =>
  new Promise((resolve, reject) => {
    const worker = new Worker(new URL('./world-thread.ts', import.meta.url), {
      workerData,
      // What the test runner gives its own threads is not for these.
      execArgv: [],
      env: {},
    });
    const goOn = (report?: ThreadReport): void => {
      const seeds = take(report);
      // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, no window
      if (seeds) worker.postMessage(seeds);
      else void worker.terminate();
    };
    worker.on('message', goOn);
    worker.on('error', reject);
    worker.on('exit', () => resolve());
    goOn();
  });
