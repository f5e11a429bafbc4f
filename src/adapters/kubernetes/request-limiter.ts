import type { Clock } from '../../core/clock.ts';
import type { RequestLimiter } from './kubernetes-client.ts';

/** What keeps the node alive never waits: a burst of pods must not cost the node its lease. */
const FREE = /^\/apis\/coordination\.k8s\.io\/|^\/api\/v1\/nodes(\/|$)/;

/** client-go's token bucket: `qps` requests a second on average, `burst` of them at once. First come, first served. */
export const requestLimiter = (
  { qps, burst }: { readonly qps: number; readonly burst: number },
  clock: Clock,
): RequestLimiter => {
  let tokens = burst;
  let at = clock.now();
  return async (path, signal) => {
    if (FREE.test(path)) return;
    const now = clock.now();
    tokens = Math.min(burst, tokens + ((now - at) / 1_000) * qps) - 1;
    at = now;
    // Below zero it is taken in advance: whoever comes next waits longer.
    if (tokens < 0) await clock.sleep((-tokens / qps) * 1_000, signal);
  };
};
