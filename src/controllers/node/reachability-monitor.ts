import type { Clock } from '../../core/clock.ts';
import { withDeadline } from '../../core/deadline.ts';
import type { Logger } from '../../ports/logger.ts';
import type { NodeRow, NodeStore } from '../../ports/node-store.ts';
import type { Provider } from '../../ports/provider.ts';
import { planReachability, type Reachability } from './reachability.ts';

const PING_DEADLINE_MS = 5_000;
/** One ping serves every node of a run. */
const PING_VALID_MS = 10_000;

/** Asks whether the provider answers, and remembers in the node's row since when it does not. */
export class ReachabilityMonitor {
  readonly #provider: Pick<Provider, 'ping'>;
  readonly #store: NodeStore;
  readonly #clock: Clock;
  readonly #logger: Logger;
  #last: { readonly at: number; readonly answered: Promise<boolean> } | undefined;

  constructor(deps: {
    readonly provider: Pick<Provider, 'ping'>;
    readonly store: NodeStore;
    readonly clock: Clock;
    readonly logger: Logger;
  }) {
    this.#provider = deps.provider;
    this.#store = deps.store;
    this.#clock = deps.clock;
    this.#logger = deps.logger;
  }

  /** @throws what the store throws; a provider that does not answer is a result. */
  async check(
    node: string,
    { row, wasReachable }: { readonly row: NodeRow | undefined; readonly wasReachable: boolean },
    signal: AbortSignal,
  ): Promise<Reachability> {
    const answered = await this.#ping(signal);
    const reachability = planReachability({ answered, row, wasReachable, now: this.#clock.now() });
    if (reachability.remember) await this.#store.put(node, reachability.remember);
    return reachability;
  }

  #ping(signal: AbortSignal): Promise<boolean> {
    const now = this.#clock.now();
    if (this.#last === undefined || now - this.#last.at >= PING_VALID_MS)
      this.#last = { at: now, answered: this.#answers(signal) };
    return this.#last.answered;
  }

  async #answers(signal: AbortSignal): Promise<boolean> {
    try {
      const limit = { ms: PING_DEADLINE_MS, what: 'provider ping', signal };
      await withDeadline(this.#clock, limit, (limited) => this.#provider.ping(limited));
      return true;
    } catch (error) {
      this.#logger.warn('provider does not answer', { error });
      return false;
    }
  }
}
