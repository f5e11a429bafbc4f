import type { Rows } from '../../../src/adapters/memory/rows.ts';
import type { Clock } from '../../../src/core/clock.ts';
import { frozenJson } from '../frozen-json.ts';

/** Rows as JSON copies whose `values` show every change `delayMs` late, as DynamoDB's indexes may. */
export class LaggingRows<Row> implements Rows<Row> {
  readonly #clock: Clock | undefined;
  readonly #delayMs: number;
  readonly #rows = new Map<string, Row>();
  readonly #shown = new Map<string, Row>();
  #changes: { readonly at: number; readonly key: string; readonly row: Row | undefined }[] = [];

  constructor(clock: Clock | undefined, delayMs: number) {
    if (delayMs > 0 && !clock) throw new Error('rows that lag need a clock');
    this.#clock = clock;
    this.#delayMs = delayMs;
  }

  get(key: string): Row | undefined {
    return this.#rows.get(key);
  }

  set(key: string, row: Row): void {
    const copy = frozenJson(row);
    this.#rows.set(key, copy);
    this.#note(key, copy);
  }

  delete(key: string): void {
    this.#rows.delete(key);
    this.#note(key, undefined);
  }

  values(): Iterable<Row> {
    const now = this.#now();
    for (const { key, row } of this.#changes.filter(({ at }) => at <= now)) {
      if (row === undefined) this.#shown.delete(key);
      else this.#shown.set(key, row);
    }
    this.#changes = this.#changes.filter(({ at }) => at > now);
    return this.#shown.values();
  }

  /** Every row as it stands. */
  all(): readonly Row[] {
    return [...this.#rows.values()];
  }

  /** Loses every row, as a table does that was deleted. */
  clear(): void {
    for (const key of this.#rows.keys()) this.delete(key);
  }

  #note(key: string, row: Row | undefined): void {
    this.#changes.push({ at: this.#now() + this.#delayMs, key, row });
  }

  #now(): number {
    return this.#clock?.now() ?? 0;
  }
}
