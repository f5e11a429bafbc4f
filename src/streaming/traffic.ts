import type { Clock } from '../core/clock.ts';

/**
 * Payload that a session has carried, and since when it carries none. Pings are no payload: the API server sends them
 * every five seconds, whatever its client does.
 */
export class Traffic {
  readonly #clock: Clock;
  #bytesIn = 0;
  #bytesOut = 0;
  #movedAt: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#movedAt = clock.now();
  }

  get bytesIn(): number {
    return this.#bytesIn;
  }

  get bytesOut(): number {
    return this.#bytesOut;
  }

  /** Something was carried; the bytes are those that count. */
  moved(bytesIn: number, bytesOut: number): void {
    this.#bytesIn += bytesIn;
    this.#bytesOut += bytesOut;
    this.#movedAt = this.#clock.now();
  }

  /** Resolves when nothing has moved for `idleTimeoutMs` (0: never); rejects when `signal` aborts. */
  async idle(idleTimeoutMs: number, signal: AbortSignal): Promise<void> {
    for (;;) {
      const leftMs = idleTimeoutMs === 0 ? FOREVER_MS : this.#movedAt + idleTimeoutMs - this.#clock.now();
      if (leftMs <= 0) return;
      await this.#clock.sleep(Math.min(leftMs, FOREVER_MS), signal);
    }
  }
}

/** The longest Node's timers can wait: 24 days. */
const FOREVER_MS = 2_147_483_647;
