import type { Clock } from '../core/clock.ts';

/** Remembers answers for a while, at most `capacity` of them: the one not used for longest goes first. */
export class ExpiringCache<T> {
  readonly #clock: Clock;
  readonly #capacity: number;
  // A Map keeps the order of insertion: an entry that is used moves to the end.
  readonly #entries = new Map<string, { readonly value: T; readonly expiresAt: number }>();

  constructor(clock: Clock, capacity: number) {
    this.#clock = clock;
    this.#capacity = capacity;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The answer, wrapped so that `undefined` can be one; undefined where there is none or its time is over. */
  get(key: string): { readonly value: T } | undefined {
    const entry = this.#entries.get(key);
    if (entry === undefined) return undefined;
    this.#entries.delete(key);
    if (entry.expiresAt <= this.#clock.now()) return undefined;
    this.#entries.set(key, entry);
    return entry;
  }

  set(key: string, value: T, ttlMs: number): void {
    this.#entries.delete(key);
    this.#entries.set(key, { value, expiresAt: this.#clock.now() + ttlMs });
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= this.#capacity) break;
      this.#entries.delete(oldest);
    }
  }
}
