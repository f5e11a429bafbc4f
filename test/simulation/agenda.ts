import type { FakeClock } from '../fakes/clock.ts';

const STEP_MS = 30_000;

/** What is going to happen, on the clock everybody else waits on. */
export class Agenda {
  readonly #clock: FakeClock;

  constructor(clock: FakeClock) {
    this.#clock = clock;
  }

  after(ms: number, act: () => void): void {
    void this.#clock.sleep(Math.floor(ms)).then(act);
  }

  /** From now on, again and again. */
  every(ms: number, act: () => void): void {
    this.after(ms, () => {
      act();
      this.every(ms, act);
    });
  }

  /** Lets so much time pass, or less where `isOver` says so. */
  async run(ms: number, isOver: () => boolean): Promise<void> {
    for (let left = ms; left > 0 && !isOver(); left -= STEP_MS) await this.#clock.advance(Math.min(left, STEP_MS));
  }
}
