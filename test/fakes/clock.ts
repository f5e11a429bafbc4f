import type { Clock, Random } from '../../src/core/clock.ts';
import { Sleepers } from './sleepers.ts';

/** Time that moves only when told to (or when somebody sleeps and nobody else is awake, see `advance`). */
export class FakeClock implements Clock {
  #now: number;
  readonly #sleepers = new Sleepers();

  constructor(start: string | number = '2030-01-01T00:00:00Z') {
    this.#now = typeof start === 'number' ? start : Date.parse(start);
  }

  now(): number {
    return this.#now;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error);
      const sleeper = this.#sleepers.add(this.#now + ms, resolve);
      signal?.addEventListener(
        'abort',
        () => {
          sleeper.wake = undefined;
          reject(signal.reason as Error);
        },
        { once: true },
      );
    });
  }

  /** Moves time ahead, waking sleepers in order and letting what they resume run as far as it can. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    await turn();
    for (let next = this.#sleepers.next(end); next; next = this.#sleepers.next(end)) {
      this.#now = Math.max(this.#now, next.at);
      next.wake?.();
      await settle();
    }
    this.#now = end;
    await turn();
    // What needed the event loop to come so far may have laid itself down meanwhile.
    if (this.#sleepers.isDue(end)) await this.advance(0);
  }
}

/** Everything that can go on without the event loop has done so. */
const settle = (): Promise<void> => Promise.resolve().then(() => new Promise((resolve) => process.nextTick(resolve)));

/** One turn of the event loop, for what needs it. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Mulberry32: small, seeded and good enough for tests. */
export class SeededRandom implements Random {
  #state: number;

  constructor(seed: number) {
    this.#state = seed >>> 0;
  }

  next(): number {
    this.#state = (this.#state + 0x6d2b79f5) >>> 0;
    let t = this.#state;
    t = Math.imul(t ^ (t >>> 15), t | 1);
    t ^= t + Math.imul(t ^ (t >>> 7), t | 61);
    return ((t ^ (t >>> 14)) >>> 0) / 4_294_967_296;
  }

  uuid(): string {
    const word = (): string =>
      Math.floor(this.next() * 0x1_0000_0000)
        .toString(16)
        .padStart(8, '0');
    const hex = word() + word() + word() + word();
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
  }
}
