import type { Clock } from '../../../src/core/clock.ts';

/** A secondary index that shows every change `delayMs` late, as DynamoDB's may. */
export class EventualIndex<T> {
  readonly #clock: Clock | undefined;
  readonly #delayMs: number;
  readonly #shown = new Map<string, T>();
  #changes: { readonly at: number; readonly key: string; readonly value: T | undefined }[] = [];

  constructor(clock: Clock | undefined, delayMs: number) {
    if (delayMs > 0 && !clock) throw new Error('an index that lags needs a clock');
    this.#clock = clock;
    this.#delayMs = delayMs;
  }

  put(key: string, value: T | undefined): void {
    this.#changes.push({ at: this.#now() + this.#delayMs, key, value });
  }

  values(): readonly T[] {
    const now = this.#now();
    for (const { key, value } of this.#changes.filter(({ at }) => at <= now)) {
      if (value === undefined) this.#shown.delete(key);
      else this.#shown.set(key, value);
    }
    this.#changes = this.#changes.filter(({ at }) => at > now);
    return [...this.#shown.values()];
  }

  #now(): number {
    return this.#clock?.now() ?? 0;
  }
}
