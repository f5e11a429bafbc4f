import { sha256Hex } from '../../core/digest.ts';
import type { Workload } from '../../model/workload.ts';
import type { ContainerStats, WorkloadStats } from '../../model/workload-stats.ts';

/** The invented load rises and falls once in so many seconds. */
const PERIOD_SECONDS = 120;
const ANGLE = (2 * Math.PI) / PERIOD_SECONDS;

/**
 * Invented figures of a running workload, which move as real ones do: each container has a load of its own, drawn from
 * its name (10 to 250 millicores, 16 to 512 MiB), and swings around it with the clock. The CPU time is the integral of the
 * load, so that rates computed from it agree with it. Undefined where nothing runs.
 */
export const statsOf = (workload: Workload, now: number): WorkloadStats | undefined => {
  const { id, podUid, phase, startedAt } = workload;
  if (podUid === undefined || phase !== 'running' || startedAt === undefined) return undefined;
  const running = workload.containers.filter(({ state }) => state === 'running');
  return {
    workloadId: id,
    podUid,
    startedAt,
    containers: running.map(({ name }) => containerStats(`${id}/${name}`, name, startedAt, now)),
  };
};

const containerStats = (seed: string, name: string, startedAt: number, now: number): ContainerStats => {
  const cores = (10 + drawn(`${seed} cpu`, 240)) / 1_000;
  const bytes = (16 + drawn(`${seed} memory`, 496)) * 1024 * 1024;
  const seconds = Math.max(0, now - startedAt) / 1_000;
  const swing = Math.sin(ANGLE * seconds);
  return {
    name,
    startedAt,
    at: now,
    cpu: {
      usageNanoCores: Math.round(cores * (1 + swing / 2) * 1e9),
      usageCoreNanoSeconds: Math.round(cores * (seconds + (1 - Math.cos(ANGLE * seconds)) / (2 * ANGLE)) * 1e9),
    },
    memory: { workingSetBytes: Math.round(bytes * (1 + swing / 10)) },
  };
};

/** A whole number from 0 to `below` - 1 that the text always gives. */
const drawn = (text: string, below: number): number => Number.parseInt(sha256Hex(text, 8), 16) % below;
