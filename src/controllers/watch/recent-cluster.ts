import type { Clock } from '../../core/clock.ts';
import type { Namespace } from '../../model/kubernetes.ts';
import type { ClusterApi } from '../../ports/kubernetes.ts';

/** A thousand pods deleted by force ask within seconds which cluster this is; an API server is not swapped so fast. */
const RECENT_MS = 1_000;

/** What was asked about the cluster within the last second is not asked again. */
export class RecentCluster implements ClusterApi {
  readonly #live: ClusterApi;
  readonly #clock: Clock;
  readonly #reads = new Map<string, { readonly at: number; readonly answer: Promise<Namespace> }>();

  constructor(live: ClusterApi, clock: Clock) {
    this.#live = live;
    this.#clock = clock;
  }

  namespace(name: string, signal: AbortSignal): Promise<Namespace> {
    const now = this.#clock.now();
    const recent = this.#reads.get(name);
    if (recent && now - recent.at < RECENT_MS) return recent.answer;
    const answer = this.#live.namespace(name, signal);
    this.#reads.set(name, { at: now, answer });
    // A failure is nobody's but the asker's.
    answer.catch(() => this.#reads.delete(name));
    return answer;
  }

  version(signal: AbortSignal): Promise<string> {
    return this.#live.version(signal);
  }
}
