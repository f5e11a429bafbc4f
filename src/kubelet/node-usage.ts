import type { WorkloadStats } from '../model/workload-stats.ts';

/**
 * What a node without a machine uses: what its pods use. Its CPU time must never fall (whoever scrapes it takes that for
 * a restart of the node), but the sum over the pods that are there falls whenever one goes: so each container's growth is
 * added up here, for as long as this process lives.
 */
export class NodeUsage {
  /** Since when it adds up, in milliseconds since the epoch. */
  readonly since: number;
  #coreNanoSeconds = 0;
  #last: ReadonlyMap<string, number> = new Map();

  constructor(since: number) {
    this.since = since;
  }

  /** Takes in the figures of all pods of the node; answers its CPU time, in nanoseconds of one core. */
  add(pods: readonly Pick<WorkloadStats, 'workloadId' | 'containers'>[]): number {
    const next = new Map<string, number>();
    for (const { workloadId, containers } of pods) {
      for (const { name, cpu } of containers) {
        const key = `${workloadId} ${name}`;
        const last = this.#last.get(key) ?? 0;
        const usage = Math.max(cpu?.usageCoreNanoSeconds ?? 0, last);
        next.set(key, usage);
        this.#coreNanoSeconds += usage - last;
      }
    }
    this.#last = next;
    return this.#coreNanoSeconds;
  }
}
