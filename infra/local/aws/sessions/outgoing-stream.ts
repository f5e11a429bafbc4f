import type { Clock, Random } from '../../../../src/core/clock.ts';
import { Bell } from '../ecs/agent/bell.ts';
import { flags, toFrame } from './agent-message.ts';
import { maxTimeoutMs, RoundTrip } from './round-trip.ts';

interface Sent {
  readonly frame: Buffer;
  sentAt: number;
  resends: number;
}

interface Options {
  readonly clock: Clock;
  readonly random: Random;
  /** False where nobody is there to take it, or too much is on its way: it goes out later. */
  readonly transmit: (frame: Buffer) => boolean;
}

/** As the official ends look for what is late. */
const tickMs = 100;
/** No more than this is on its way, so that a slow reader slows the command down. The agent has no such limit. */
const windowMessages = 512;
/** The official client never acknowledges a message it got twice: such ones do not hold up the others. */
const doubtfulAfterResends = 6;
const doubtfulEveryMs = 2000;
/** Some five minutes, after which the official client gives up as well. */
const hopelessAfterResends = 150;
const resendsPerTick = 256;
/**
 * So often what is late is looked for without an acknowledgement before the end gives up: four seconds. Counted, since a
 * machine that is busy sends less in the same time.
 */
const patienceTicks = 40;

/**
 * Numbers the session's output and sends it until it is acknowledged. Any message that is late is sent again, not only the
 * oldest one as the agent does: behind a lost acknowledgement the official client would wait for ever.
 */
export class OutgoingStream {
  readonly #options: Options;
  readonly #unacknowledged = new Map<number, Sent>();
  readonly #roundTrip = new RoundTrip();
  readonly #bell = new Bell();
  #next = 0;
  #quietTicks = 0;

  constructor(options: Options) {
    this.#options = options;
  }

  send(payloadType: number, payload: Uint8Array): void {
    const { clock, random } = this.#options;
    const sequenceNumber = this.#next;
    this.#next += 1;
    const sentAt = clock.now();
    const frame = toFrame({
      type: 'output_stream_data',
      createdAt: sentAt,
      sequenceNumber,
      flags: sequenceNumber === 0 ? flags.syn : flags.none,
      id: random.uuid(),
      payloadType,
      payload,
    });
    this.#unacknowledged.set(sequenceNumber, { frame, sentAt, resends: 0 });
    this.#options.transmit(frame);
  }

  acknowledged(sequenceNumber: number): void {
    const sent = this.#unacknowledged.get(sequenceNumber);
    if (!sent) return;
    this.#unacknowledged.delete(sequenceNumber);
    this.#quietTicks = 0;
    // Which of several copies is acknowledged, nobody knows.
    if (sent.resends === 0) this.#roundTrip.sample(this.#options.clock.now() - sent.sentAt);
    this.#bell.ring();
  }

  /** Resolves when another message may be sent. */
  async room(signal: AbortSignal): Promise<void> {
    while (this.#onTheWay() >= windowMessages) await this.#changed(signal);
  }

  /** Resolves when all is acknowledged, or nothing has been for four seconds. */
  async settled(signal: AbortSignal): Promise<void> {
    this.#quietTicks = 0;
    while (this.#unacknowledged.size > 0 && this.#quietTicks < patienceTicks) {
      await this.#changed(signal);
    }
  }

  /** Sends again what is late, until `signal` aborts. */
  async resend(signal: AbortSignal): Promise<void> {
    for (;;) {
      await this.#options.clock.sleep(tickMs, signal);
      this.#quietTicks += 1;
      this.#resendLate();
      this.#bell.ring();
    }
  }

  #resendLate(): void {
    const now = this.#options.clock.now();
    let left = resendsPerTick;
    for (const [sequenceNumber, sent] of this.#unacknowledged) {
      if (left === 0) return;
      if (now - sent.sentAt < this.#timeoutOf(sent)) continue;
      if (sent.resends >= hopelessAfterResends) {
        this.#unacknowledged.delete(sequenceNumber);
        continue;
      }
      if (!this.#options.transmit(sent.frame)) return;
      sent.resends += 1;
      sent.sentAt = now;
      left -= 1;
    }
  }

  #timeoutOf({ resends }: Sent): number {
    if (resends >= doubtfulAfterResends) return doubtfulEveryMs;
    return Math.min(maxTimeoutMs, this.#roundTrip.timeoutMs * 2 ** resends);
  }

  #onTheWay(): number {
    if (this.#unacknowledged.size < windowMessages) return this.#unacknowledged.size;
    return [...this.#unacknowledged.values()].filter(({ resends }) => resends < doubtfulAfterResends).length;
  }

  #changed(signal: AbortSignal): Promise<void> {
    return this.#bell.next(signal);
  }
}
