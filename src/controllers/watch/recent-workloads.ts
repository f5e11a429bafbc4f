import type { Clock } from '../../core/clock.ts';
import type { Workload } from '../../model/workload.ts';
import type { Described, Provider } from '../../ports/provider.ts';

/** Long enough for the workers to come to the last pod of a beat. */
const RECENT_MS = 5_000;

/**
 * What was read for many pods at once is not asked again for each of them. Only workloads are remembered, never that one
 * is missing: how often that was said decides.
 */
export class RecentWorkloads {
  readonly #provider: Pick<Provider, 'describe'>;
  readonly #clock: Clock;
  readonly #read = new Map<string, { readonly workload: Workload; readonly at: number }>();

  constructor(provider: Pick<Provider, 'describe'>, clock: Clock) {
    this.#provider = provider;
    this.#clock = clock;
  }

  /** These have just been read. */
  keep(workloads: readonly Workload[]): void {
    for (const id of this.#read.keys()) if (!this.#recent(id)) this.#read.delete(id);
    for (const workload of workloads) this.#read.set(workload.id, { workload, at: this.#clock.now() });
  }

  /** Each workload is answered from memory once: whoever asks again wants news. */
  async describe(ids: readonly string[], signal: AbortSignal): Promise<Described> {
    const workloads = ids.flatMap((id) => this.#recent(id) ?? []);
    if (workloads.length < ids.length) return this.#provider.describe(ids, signal);
    for (const id of ids) this.#read.delete(id);
    return { workloads, missing: [] };
  }

  #recent(id: string): Workload | undefined {
    const read = this.#read.get(id);
    return read && this.#clock.now() - read.at < RECENT_MS ? read.workload : undefined;
  }
}
