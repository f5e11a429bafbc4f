import { Alarms } from '../../core/alarms.ts';
import { type BackOffCurve, delaySecondsAfter } from '../../core/backoff.ts';
import type { Clock } from '../../core/clock.ts';

/** One piece of work, taken. It is in progress until `done` or `failed` is called with its key. */
export interface Taken<T> {
  readonly key: string;
  readonly item: T;
  /** How long it had been due when it was taken, in milliseconds. */
  readonly waitedMs: number;
}

export interface KeyedQueueOptions<T> {
  readonly clock: Clock;
  /** What becomes of an item that waits when another comes under its key. */
  readonly merge: (waiting: T, added: T) => T;
  /** The wait after failures in a row of one key; 5 ms doubling to 1000 s where it is left out, as client-go's. */
  readonly backOff?: BackOffCurve;
}

interface Waiting<T> {
  readonly item: T;
  /** When it may be worked on, in milliseconds since the epoch. */
  readonly at: number;
}

const BACK_OFF: BackOffCurve = { initialSeconds: 0.005, maxSeconds: 1_000 };

/**
 * A queue with one entry for each key. A key is never worked on twice at once: what comes under it meanwhile waits for the
 * end and then runs again. An entry that waits only moves ahead, so that news cuts a back-off short. Nothing but a key's own
 * failures makes it wait: a burst leaves no debt behind.
 */
export class KeyedQueue<T> {
  readonly #clock: Clock;
  readonly #merge: (waiting: T, added: T) => T;
  readonly #backOff: BackOffCurve;
  readonly #ready = new Map<string, Waiting<T>>();
  readonly #delayed: Alarms<T>;
  readonly #busy = new Map<string, Waiting<T> | undefined>();
  readonly #failures = new Map<string, number>();
  readonly #takers = new Set<(taken: Taken<T>) => void>();

  constructor({ clock, merge, backOff = BACK_OFF }: KeyedQueueOptions<T>) {
    this.#clock = clock;
    this.#merge = merge;
    this.#backOff = backOff;
    this.#delayed = new Alarms(clock, (key, item) => {
      this.#ready.set(key, { item, at: clock.now() });
      this.#serve();
    });
  }

  add(key: string, item: T, delayMs = 0): void {
    this.#enter(key, { item, at: this.#clock.now() + delayMs });
  }

  /** The next piece of work, as soon as there is one. Rejects with the reason of `signal`. */
  take(signal: AbortSignal): Promise<Taken<T>> {
    const taken = this.tryTake();
    if (taken) return Promise.resolve(taken);
    return new Promise((resolve, reject) => {
      const taker = (given: Taken<T>): void => {
        signal.removeEventListener('abort', giveUp);
        resolve(given);
      };
      const giveUp = (): void => {
        this.#takers.delete(taker);
        reject(signal.reason instanceof Error ? signal.reason : new Error('nobody waits any more'));
      };
      if (signal.aborted) return giveUp();
      signal.addEventListener('abort', giveUp, { once: true });
      this.#takers.add(taker);
    });
  }

  /** The next piece of work, where there is one now. */
  tryTake(): Taken<T> | undefined {
    const [first] = this.#ready;
    if (first === undefined) return undefined;
    const [key, { item, at }] = first;
    this.#ready.delete(key);
    this.#busy.set(key, undefined);
    return { key, item, waitedMs: Math.max(0, this.#clock.now() - at) };
  }

  /** The work on `key` is done. */
  done(key: string): void {
    this.#failures.delete(key);
    this.#free(key);
  }

  /** The work on `key` failed: `item` comes again after a back-off that grows with every failure in a row. */
  failed(key: string, item: T): void {
    const failures = (this.#failures.get(key) ?? 0) + 1;
    this.#failures.set(key, failures);
    const again = { item, at: this.#clock.now() + delaySecondsAfter(this.#backOff, failures) * 1_000 };
    const dirty = this.#busy.get(key);
    this.#busy.set(key, dirty ? this.#merged(again, dirty) : again);
    this.#free(key);
  }

  /** Entries that wait, those not due yet included. */
  get length(): number {
    return this.#ready.size + this.#delayed.size;
  }

  /** Keys in progress. */
  get inProgress(): number {
    return this.#busy.size;
  }

  /** Nothing more comes due. What is in progress may still be finished. */
  stop(): void {
    this.#delayed.stop();
    this.#ready.clear();
  }

  #free(key: string): void {
    const dirty = this.#busy.get(key);
    this.#busy.delete(key);
    if (dirty) this.#enter(key, dirty);
  }

  #enter(key: string, added: Waiting<T>): void {
    if (this.#busy.has(key)) {
      const dirty = this.#busy.get(key);
      this.#busy.set(key, dirty ? this.#merged(dirty, added) : added);
      return;
    }
    const ready = this.#ready.get(key);
    if (ready) {
      this.#ready.set(key, { ...ready, item: this.#merge(ready.item, added.item) });
      return;
    }
    const delayed = this.#delayed.get(key);
    const entry = delayed ? this.#merged({ item: delayed.value, at: delayed.at }, added) : added;
    if (entry.at > this.#clock.now()) {
      this.#delayed.set(key, entry.at, entry.item);
      return;
    }
    this.#delayed.clear(key);
    this.#ready.set(key, entry);
    this.#serve();
  }

  #merged(waiting: Waiting<T>, added: Waiting<T>): Waiting<T> {
    return { item: this.#merge(waiting.item, added.item), at: Math.min(waiting.at, added.at) };
  }

  #serve(): void {
    for (const taker of this.#takers) {
      const taken = this.tryTake();
      if (!taken) return;
      this.#takers.delete(taker);
      taker(taken);
    }
  }
}
