/** Time as it is given to us, so that tests can hold it still. */
export interface Clock {
  /** Milliseconds since the epoch. */
  now(): number;
  /** Resolves after `ms` milliseconds; rejects with the signal's reason as soon as `signal` aborts. */
  sleep(ms: number, signal?: AbortSignal): Promise<void>;
}

/** Chance as it is given to us, so that tests can repeat it. */
export interface Random {
  /** A number in [0, 1). */
  next(): number;
  /** A version 4 UUID. */
  uuid(): string;
}
