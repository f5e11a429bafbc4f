import type { Clock } from '../../../src/core/clock.ts';

/**
 * Waits that end when the emulator closes. Each has a signal of its own: looking through thousands of listeners of one
 * shared signal costs more than everything else.
 */
export class Timers {
  readonly #clock: Clock;
  readonly #open = new Set<AbortController>();
  #closed = false;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** Rejects when the emulator closes first. */
  async sleep(ms: number): Promise<void> {
    const controller = new AbortController();
    if (this.#closed) controller.abort(closing());
    this.#open.add(controller);
    try {
      await this.#clock.sleep(ms, controller.signal);
    } finally {
      this.#open.delete(controller);
    }
  }

  /** Acts in `ms`, or never where the emulator closes first. */
  after(ms: number, act: () => void | Promise<void>): void {
    if (this.#closed) return;
    const waited = ms > 0 ? this.sleep(ms) : Promise.resolve();
    void waited.then(act, () => undefined);
  }

  close(): void {
    this.#closed = true;
    for (const controller of this.#open) controller.abort(closing());
  }
}

const closing = (): Error => new Error('the emulator closes');
