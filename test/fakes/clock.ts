import type { Clock, Random } from '../../src/core/clock.ts';

/** Time that moves only when told to (or when somebody sleeps and nobody else is awake, see `advance`). */
export class FakeClock implements Clock {
  #now: number;
  #sleepers: { readonly at: number; readonly wake: () => void }[] = [];

  constructor(start: string | number = '2030-01-01T00:00:00Z') {
    this.#now = typeof start === 'number' ? start : Date.parse(start);
  }

  now(): number {
    return this.#now;
  }

  sleep(ms: number, signal?: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason as Error);
      const sleeper = { at: this.#now + ms, wake: resolve };
      this.#sleepers.push(sleeper);
      signal?.addEventListener(
        'abort',
        () => {
          this.#sleepers = this.#sleepers.filter((other) => other !== sleeper);
          reject(signal.reason as Error);
        },
        { once: true },
      );
    });
  }

  /** Moves time ahead, waking sleepers in order and letting what they resume run as far as it can. */
  async advance(ms: number): Promise<void> {
    const end = this.#now + ms;
    for (;;) {
      await settle();
      const next = this.#sleepers.filter(({ at }) => at <= end).sort((a, b) => a.at - b.at)[0];
      if (!next) break;
      this.#sleepers = this.#sleepers.filter((sleeper) => sleeper !== next);
      this.#now = Math.max(this.#now, next.at);
      next.wake();
    }
    this.#now = end;
  }
}

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

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
    const hex = Array.from({ length: 32 }, () => Math.floor(this.next() * 16).toString(16)).join('');
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20)}`;
  }
}
