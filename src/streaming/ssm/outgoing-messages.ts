import { RoundTripTime } from './round-trip-time.ts';

/** A message is not sent less often than this, however long the peer is silent. */
const LONGEST_PAUSE_MS = 5000;

interface Unacknowledged {
  readonly bytes: Buffer;
  readonly firstSentAt: number;
  sentAt: number;
  pauseMs: number;
  sends: number;
}

/**
 * Messages that were sent and not yet acknowledged. Each that is late goes out again by itself, the same bytes, with a
 * pause that doubles: a peer that is slow is not flooded, and one loss does not hold up the repair of another.
 */
export class OutgoingMessages {
  readonly #waiting = new Map<number, Unacknowledged>();
  readonly #roundTrip = new RoundTripTime();

  get size(): number {
    return this.#waiting.size;
  }

  sent(sequenceNumber: number, bytes: Buffer, now: number): void {
    const pauseMs = this.#roundTrip.timeoutMs;
    this.#waiting.set(sequenceNumber, { bytes, firstSentAt: now, sentAt: now, pauseMs, sends: 1 });
  }

  /** Answers whether this was news. */
  acknowledged(sequenceNumber: number, now: number): boolean {
    const message = this.#waiting.get(sequenceNumber);
    if (message === undefined) return false;
    this.#waiting.delete(sequenceNumber);
    if (message.sends === 1) this.#roundTrip.add(now - message.firstSentAt);
    return true;
  }

  /** What is to be sent again now, oldest first; counts as sent. */
  takeLate(now: number): readonly Buffer[] {
    const late: Buffer[] = [];
    for (const message of this.#waiting.values()) {
      if (now - message.sentAt < message.pauseMs) continue;
      message.sentAt = now;
      message.sends += 1;
      message.pauseMs = Math.min(message.pauseMs * 2, LONGEST_PAUSE_MS);
      late.push(message.bytes);
    }
    return late;
  }

  /** When the oldest was first sent; undefined where nothing waits. */
  get waitingSince(): number | undefined {
    const [oldest] = this.#waiting.values();
    return oldest?.firstSentAt;
  }
}
