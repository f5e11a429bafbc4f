/**
 * - `next`: the one that was waited for.
 * - `early`: kept until its turn.
 * - `repeat`: had before.
 * - `dropped`: too far ahead, or no room for it; its sender must send it again.
 */
export type Arrival = 'next' | 'early' | 'repeat' | 'dropped';

/** As many as the official client keeps. */
const MOST_MESSAGES = 10_000;
const MOST_BYTES = 16 * 1024 * 1024;

/** Puts messages that came out of order, or twice, into the order they were sent in. Bounded. */
export class IncomingOrder<T extends { readonly payload: Uint8Array }> {
  readonly #early = new Map<number, T>();
  #expected = 0;
  #bytes = 0;

  /** Takes note of a message. What is now in order, this one included, is to be taken by {@link take}. */
  arrived(sequenceNumber: number, message: T): Arrival {
    if (sequenceNumber < this.#expected || this.#early.has(sequenceNumber)) return 'repeat';
    const isNext = sequenceNumber === this.#expected;
    const size = message.payload.length;
    const full = this.#early.size >= MOST_MESSAGES || this.#bytes + size > MOST_BYTES;
    if (!isNext && (full || sequenceNumber - this.#expected > MOST_MESSAGES)) return 'dropped';
    this.#early.set(sequenceNumber, message);
    this.#bytes += size;
    return isNext ? 'next' : 'early';
  }

  /** The next in order, or undefined where it has not come. */
  take(): T | undefined {
    const message = this.#early.get(this.#expected);
    if (message === undefined) return undefined;
    this.#early.delete(this.#expected);
    this.#bytes -= message.payload.length;
    this.#expected += 1;
    return message;
  }
}
