const FIRST_ROUND_TRIP_MS = 100;
const FIRST_TIMEOUT_MS = 200;
const GRANULARITY_MS = 10;
const LONGEST_TIMEOUT_MS = 1000;

/**
 * How long an acknowledgement may take before a message counts as lost: RFC 6298's estimate with the figures of Session
 * Manager's ends. Times of messages that were sent more than once must not be given to it: nobody knows which of them
 * was acknowledged (Karn's rule).
 */
export class RoundTripTime {
  #smoothedMs = FIRST_ROUND_TRIP_MS;
  #variationMs = 0;
  #timeoutMs = FIRST_TIMEOUT_MS;

  get timeoutMs(): number {
    return this.#timeoutMs;
  }

  add(roundTripMs: number): void {
    this.#variationMs = 0.75 * this.#variationMs + 0.25 * Math.abs(this.#smoothedMs - roundTripMs);
    this.#smoothedMs = 0.875 * this.#smoothedMs + 0.125 * roundTripMs;
    const wanted = this.#smoothedMs + Math.max(GRANULARITY_MS, 4 * this.#variationMs);
    this.#timeoutMs = Math.min(wanted, LONGEST_TIMEOUT_MS);
  }
}
