import type { Clock } from './clock.ts';

/** Values with a time each: `ring` is called with a value once its time has come. Times are milliseconds since the epoch. */
export class Alarms<T> {
  readonly #clock: Clock;
  readonly #ring: (key: string, value: T) => void;
  readonly #waiting = new Map<string, { readonly at: number; readonly value: T }>();
  #sleep: { readonly until: number; readonly end: AbortController } | undefined;

  constructor(clock: Clock, ring: (key: string, value: T) => void) {
    this.#clock = clock;
    this.#ring = ring;
  }

  /** Replaces what `key` waits for. A time that has passed rings soon, never within this call. */
  set(key: string, at: number, value: T): void {
    this.#waiting.set(key, { at, value });
    if (this.#sleep === undefined || at < this.#sleep.until) this.#sleepUntil(at);
  }

  get(key: string): { readonly at: number; readonly value: T } | undefined {
    return this.#waiting.get(key);
  }

  /** False where nothing waited under that key. */
  clear(key: string): boolean {
    return this.#waiting.delete(key);
  }

  get size(): number {
    return this.#waiting.size;
  }

  /** Nothing rings any more. */
  stop(): void {
    this.#waiting.clear();
    this.#sleep?.end.abort(new Error('the alarms were stopped'));
    this.#sleep = undefined;
  }

  #sleepUntil(until: number): void {
    this.#sleep?.end.abort(new Error('another alarm comes first'));
    const end = new AbortController();
    this.#sleep = { until, end };
    this.#clock.sleep(Math.max(0, until - this.#clock.now()), end.signal).then(
      () => this.#ringDue(),
      () => undefined,
    );
  }

  #ringDue(): void {
    this.#sleep = undefined;
    const now = this.#clock.now();
    const due: [string, T][] = [];
    let next = Number.POSITIVE_INFINITY;
    for (const [key, { at, value }] of this.#waiting) {
      if (at <= now) due.push([key, value]);
      else next = Math.min(next, at);
    }
    for (const [key] of due) this.#waiting.delete(key);
    if (next < Number.POSITIVE_INFINITY) this.#sleepUntil(next);
    for (const [key, value] of due) this.#ring(key, value);
  }
}
