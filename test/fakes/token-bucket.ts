/** A rate limit as AWS and Kubernetes have it: so many at once, so many a second in the long run. */
export interface RateLimit {
  readonly burst: number;
  readonly perSecond: number;
}

/** Counts against one rate limit. */
export class TokenBucket {
  readonly #limit: RateLimit;
  #tokens: number;
  #at: number | undefined;

  constructor(limit: RateLimit) {
    this.#limit = limit;
    this.#tokens = limit.burst;
  }

  /** False where the limit is reached at `now` (milliseconds since the epoch): nothing is taken then. */
  take(now: number): boolean {
    const elapsedMs = now - (this.#at ?? now);
    this.#tokens = Math.min(this.#limit.burst, this.#tokens + (elapsedMs / 1_000) * this.#limit.perSecond);
    this.#at = now;
    if (this.#tokens < 1) return false;
    this.#tokens -= 1;
    return true;
  }
}
