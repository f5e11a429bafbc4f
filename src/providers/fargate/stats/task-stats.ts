import type { Clock } from '../../../core/clock.ts';
import type { Workload } from '../../../model/workload.ts';
import type { ContainerStats, WorkloadStats } from '../../../model/workload-stats.ts';
import type { Logger } from '../../../ports/logger.ts';
import type { ResourceStore } from '../../../ports/resource-store.ts';
import type { InsightsApi } from '../aws/insights-api.ts';
import { taskIdOf } from '../deployment.ts';
import { addSamples, type CpuCounters, counterKeyOf, parseCheckpoint, type UsageCheckpoint } from './cpu-counters.ts';
import type { InsightsSample } from './insights-sample.ts';
import { readInsights } from './read-insights.ts';

export interface StatsDependencies {
  readonly insights: InsightsApi;
  readonly resources: ResourceStore;
  readonly clusterArn: string;
  readonly clusterHash: () => string;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The live workloads of this deployment. */
  readonly running: (signal: AbortSignal) => AsyncIterable<Workload>;
}

/** Container Insights measures once a minute: reading more often tells nothing new. */
const CACHE_MS = 60_000;
/** Samples arrive up to three minutes late; older ones are all there. */
const SETTLED_AFTER_MS = 300_000;
/** A checkpoint this much older than what has settled is replaced. */
const CHECKPOINT_EVERY_MS = 600_000;
/** So far back samples are read where there is no newer checkpoint. What was used before is not counted. */
const LOOK_BACK_MS = 3_600_000;
/** A container that has not been measured for so long is left out. */
const STALE_AFTER_MS = 300_000;

/**
 * What the tasks of this deployment use, from the events of Container Insights, read once a minute.
 *
 * CPU time is the sum of all minutes. So that it is the same in every process (functions come and go) and survives them,
 * it is kept in one row: every process adds to it what has come since, and replaces it every ten minutes.
 */
export class TaskStats {
  readonly #deps: StatsDependencies;
  #read: { readonly at: number; readonly stats: Promise<readonly WorkloadStats[]> } | undefined;

  constructor(deps: StatsDependencies) {
    this.#deps = deps;
  }

  /** At most a minute old. @throws {NotFoundError} where the cluster has no Container Insights. */
  get(signal: AbortSignal): Promise<readonly WorkloadStats[]> {
    const now = this.#deps.clock.now();
    if (this.#read && now - this.#read.at < CACHE_MS) return this.#read.stats;
    const read = { at: now, stats: this.#readNow(now, signal) };
    this.#read = read;
    // A failure is not kept: the next one who asks tries again.
    read.stats.catch(() => {
      if (this.#read === read) this.#read = undefined;
    });
    return read.stats;
  }

  async #readNow(now: number, signal: AbortSignal): Promise<readonly WorkloadStats[]> {
    const { insights, clusterArn, running } = this.#deps;
    const workloads: Workload[] = [];
    for await (const workload of running(signal)) workloads.push(workload);
    const startedAt = new Map(
      workloads.flatMap(({ id, startedAt }) => (startedAt === undefined ? [] : [[taskIdOf(id), startedAt] as const])),
    );
    const checkpoint = await this.#checkpoint(now);
    const samples = await readInsights(insights, clusterArn, checkpoint.at, signal);
    const counters = addSamples(checkpoint.counters, samples, startedAt);
    await this.#keep(checkpoint, samples, startedAt, now);
    const latest = new Map(samples.map((sample) => [counterKeyOf(sample.taskId, sample.container), sample]));
    return workloads.flatMap((workload) => toStats(workload, counters, latest, now));
  }

  get #key(): string {
    return `USAGE#${this.#deps.clusterHash()}`;
  }

  async #checkpoint(now: number): Promise<UsageCheckpoint> {
    const kept = parseCheckpoint((await this.#deps.resources.get(this.#key))?.value ?? '');
    // Between reads of so long ago and now nothing is known: the counters stay as they are until the samples begin.
    return { at: Math.max(kept?.at ?? 0, now - LOOK_BACK_MS), counters: kept?.counters ?? {} };
  }

  /** Two processes may do so at once: both write sums of the same samples. */
  async #keep(
    { at, counters }: UsageCheckpoint,
    samples: readonly InsightsSample[],
    startedAt: ReadonlyMap<string, number>,
    now: number,
  ): Promise<void> {
    const settled = now - SETTLED_AFTER_MS;
    if (settled - at < CHECKPOINT_EVERY_MS) return;
    const older = samples.filter((sample) => sample.at <= settled);
    const next: UsageCheckpoint = { at: settled, counters: addSamples(counters, older, startedAt) };
    try {
      await this.#deps.resources.ready(this.#key, { value: JSON.stringify(next), usedAt: now });
    } catch (error) {
      // The figures are right all the same, as long as the samples can be read again.
      this.#deps.logger.warn('usage checkpoint not kept', { error: String(error) });
    }
  }
}

const toStats = (
  { id, podUid, phase, startedAt, containers }: Workload,
  counters: CpuCounters,
  latest: ReadonlyMap<string, InsightsSample>,
  now: number,
): readonly WorkloadStats[] => {
  if (podUid === undefined || phase !== 'running' || startedAt === undefined) return [];
  const measured = containers.flatMap(({ name, state }): readonly ContainerStats[] => {
    const key = counterKeyOf(taskIdOf(id), name);
    const sample = latest.get(key);
    const cpu = counters[key];
    if (state !== 'running' || !sample || !cpu || now - sample.at > STALE_AFTER_MS) return [];
    return [
      {
        name,
        startedAt,
        at: sample.at,
        cpu: { usageCoreNanoSeconds: cpu.coreNanoSeconds, usageNanoCores: (sample.cpuUnits / 1024) * 1e9 },
        memory: { workingSetBytes: sample.memoryMiB * 1_048_576 },
      },
    ];
  });
  return [{ workloadId: id, podUid, startedAt, containers: measured }];
};
