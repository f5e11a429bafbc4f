const granularityMs = 10;
/** Whatever was measured, nothing is waited for longer. */
export const maxTimeoutMs = 1000;

/** The time-out for sending again, from how long acknowledgements took (the official ends': α = 1/8, β = 1/4). */
export class RoundTrip {
  #smoothedMs = 100;
  #variationMs = 0;
  #timeoutMs = 200;

  get timeoutMs(): number {
    return this.#timeoutMs;
  }

  sample(ms: number): void {
    this.#variationMs += (Math.abs(this.#smoothedMs - ms) - this.#variationMs) / 4;
    this.#smoothedMs += (ms - this.#smoothedMs) / 8;
    const timeout = this.#smoothedMs + Math.max(granularityMs, 4 * this.#variationMs);
    this.#timeoutMs = Math.min(maxTimeoutMs, timeout);
  }
}
