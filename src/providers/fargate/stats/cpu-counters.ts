import * as z from 'zod/mini';
import type { InsightsSample } from './insights-sample.ts';

/** CPU time of one container, from its start to `at` (milliseconds since the epoch), in nanoseconds of one core. */
const counter = z.object({ at: z.number(), coreNanoSeconds: z.number() });

const counters = z.record(z.string(), counter);

/** By `<task id> <container>`. Container Insights tells only what is used; what a kubelet tells is its sum. */
export type CpuCounters = Readonly<Record<string, z.output<typeof counter>>>;

export const counterKeyOf = (taskId: string, container: string): string => `${taskId} ${container}`;

const UNITS_PER_CORE = 1024;
/** A sample stands for the minute before it, or for all since the one before: more than this was not measured. */
const MINUTE_MS = 60_000;
const MAX_GAP_MS = 300_000;

/**
 * The counters once these samples, oldest first, are added; those of tasks that are not among `taskIds` are left out.
 * Pure: whoever begins with the same counters and reads the same samples comes to the same sums.
 */
export const addSamples = (
  before: CpuCounters,
  samples: readonly InsightsSample[],
  startedAt: ReadonlyMap<string, number>,
): CpuCounters => {
  const after: Record<string, z.output<typeof counter>> = {};
  for (const [key, value] of Object.entries(before)) {
    if (startedAt.has(key.slice(0, key.indexOf(' ')))) after[key] = value;
  }
  for (const { taskId, container, at, cpuUnits } of samples) {
    const start = startedAt.get(taskId);
    if (start === undefined) continue;
    const key = counterKeyOf(taskId, container);
    const last = after[key];
    if (last !== undefined && at <= last.at) continue;
    const ms = last === undefined ? Math.min(MINUTE_MS, Math.max(0, at - start)) : Math.min(MAX_GAP_MS, at - last.at);
    const used = (cpuUnits / UNITS_PER_CORE) * ms * 1_000_000;
    after[key] = { at, coreNanoSeconds: (last?.coreNanoSeconds ?? 0) + used };
  }
  return after;
};

const checkpoint = z.object({ at: z.number(), counters });

/** Counters that hold all samples up to `at`, milliseconds since the epoch. */
export type UsageCheckpoint = z.output<typeof checkpoint>;

/** Undefined for what is none: counting then begins anew. */
export const parseCheckpoint = (text: string): UsageCheckpoint | undefined => {
  try {
    const parsed = checkpoint.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
};
