import type { FakeClock } from '../fakes/clock.ts';

interface Entry {
  readonly at: number;
  readonly order: number;
  readonly act: () => void;
}

/** What is going to happen, in order of time; of equal times, in order of entry. */
export class Agenda {
  readonly #clock: FakeClock;
  readonly #entries: Entry[] = [];
  #order = 0;

  constructor(clock: FakeClock) {
    this.#clock = clock;
  }

  after(ms: number, act: () => void): void {
    const entry = { at: this.#clock.now() + Math.floor(ms), order: this.#order++, act };
    let [low, high] = [0, this.#entries.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      const other = this.#entries[middle];
      if (other && (other.at > entry.at || (other.at === entry.at && other.order > entry.order))) low = middle + 1;
      else high = middle;
    }
    // Kept latest first: the next one is popped off the end.
    this.#entries.splice(low, 0, entry);
  }

  /** From now on, again and again. */
  every(ms: number, act: () => void): void {
    this.after(ms, () => {
      act();
      this.every(ms, act);
    });
  }

  /** Lets time pass until `end`, or until `isOver` says so. */
  async run(end: number, isOver: () => boolean): Promise<void> {
    while (!isOver()) {
      const next = this.#entries.at(-1);
      if (!next || next.at > end) break;
      this.#entries.pop();
      await this.#clock.advance(next.at - this.#clock.now());
      next.act();
    }
    await this.#clock.advance(Math.max(end - this.#clock.now(), 0));
  }
}
