import { SystemClock } from '../../src/adapters/system/system-clock.ts';
import type { Clock } from '../../src/core/clock.ts';

/** Real time that runs faster: for waits of minutes that nobody needs to sit through. */
export class FastClock implements Clock {
  readonly #times: number;
  readonly #start: number;
  readonly #clock = new SystemClock();

  constructor(times: number) {
    this.#times = times;
    this.#start = this.#clock.now();
  }

  now(): number {
    return this.#start + (this.#clock.now() - this.#start) * this.#times;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return this.#clock.sleep(ms / this.#times, signal);
  }
}
