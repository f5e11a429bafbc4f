import type { Clock } from '../../core/clock.ts';
import type { Workload } from '../../model/workload.ts';
import type { Logger } from '../../ports/logger.ts';
import type { Provider } from '../../ports/provider.ts';

/** virtual-kubelet's. */
const PERIOD_MS = 5_000;
/** Larger deployments are asked less often: one round for each hundred workloads a second. */
const PER_WORKLOAD_MS = 10;
/** The provider's views lag: what is missing this often in a row is left to its pod's own timer. */
const MISSING_READS = 6;

interface Followed {
  readonly version: number;
  readonly missing: number;
}

export interface ProviderPollerOptions {
  readonly provider: Pick<Provider, 'list' | 'describe'>;
  readonly onChange: (workload: Workload) => void;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Finds out what changes at a provider that does not tell: lists it, and looks after what is on its way out. */
export class ProviderPoller {
  readonly #options: ProviderPollerOptions;
  /** Workloads that have not been seen to stop. */
  readonly #live = new Map<string, Followed>();
  #isFirst = true;

  constructor(options: ProviderPollerOptions) {
    this.#options = options;
  }

  /** Polls until `signal` aborts. Never rejects: the next round is the retry. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, logger } = this.#options;
    while (!signal.aborted) {
      try {
        await this.poll(signal);
      } catch (error) {
        if (!signal.aborted) logger.warn('provider not polled; it is tried again', { error });
      }
      const wait = Math.max(PERIOD_MS, this.#live.size * PER_WORKLOAD_MS);
      await clock.sleep(wait, signal).catch(() => undefined);
    }
  }

  /** A workload has just been launched: it is looked after even where it ends before the next list. */
  follow({ id, version, phase }: Workload): void {
    if (phase !== 'stopped' && !this.#live.has(id)) this.#live.set(id, { version, missing: 0 });
  }

  /** One round. What changed since the one before is told, a workload at a time. @throws what the provider throws. */
  async poll(signal: AbortSignal): Promise<void> {
    const { provider } = this.#options;
    const listed = new Set<string>();
    for await (const workload of provider.list({ stopped: this.#isFirst }, signal)) {
      listed.add(workload.id);
      this.#take(workload);
    }
    this.#isFirst = false;
    const unlisted = [...this.#live.keys()].filter((id) => !listed.has(id));
    if (unlisted.length === 0) return;
    const { workloads, missing } = await provider.describe(unlisted, signal);
    for (const workload of workloads) this.#take(workload);
    for (const id of missing) this.#miss(id);
  }

  #take(workload: Workload): void {
    const { id, version, phase } = workload;
    const known = this.#live.get(id);
    if (phase === 'stopped') this.#live.delete(id);
    else this.#live.set(id, { version: Math.max(version, known?.version ?? 0), missing: 0 });
    if (known === undefined || version > known.version) this.#options.onChange(workload);
  }

  #miss(id: string): void {
    const known = this.#live.get(id);
    if (known === undefined) return;
    if (known.missing + 1 >= MISSING_READS) this.#live.delete(id);
    else this.#live.set(id, { ...known, missing: known.missing + 1 });
  }
}
