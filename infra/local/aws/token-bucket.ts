export interface BucketSize {
  /** How many tokens it holds. */
  readonly burst: number;
  /** How many tokens flow back each second. */
  readonly perSecond: number;
}

/** The token bucket AWS throttles with: full at first, refilled steadily. */
export class TokenBucket {
  readonly #size: BucketSize;
  #tokens: number;
  #refilledAt: number;

  constructor(size: BucketSize, now: number) {
    this.#size = size;
    this.#tokens = size.burst;
    this.#refilledAt = now;
  }

  /** Takes `count` tokens, or none and answers false. */
  take(now: number, count = 1): boolean {
    const refill = (Math.max(0, now - this.#refilledAt) / 1000) * this.#size.perSecond;
    this.#tokens = Math.min(this.#size.burst, this.#tokens + refill);
    this.#refilledAt = now;
    if (this.#tokens + 1e-9 < count) return false;
    this.#tokens -= count;
    return true;
  }
}
