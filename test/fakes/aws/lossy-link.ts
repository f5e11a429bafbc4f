import type { Clock, Random } from '../../../src/core/clock.ts';
import type { FrameLink, FrameReceiver } from '../../../src/streaming/ssm/frame-link.ts';

/** How a connection treats frames: shares between 0 and 1, delays in milliseconds. */
export interface Disturbance {
  readonly lost: number;
  readonly doubled: number;
  readonly longestDelayMs: number;
}

const UNDISTURBED: Disturbance = { lost: 0, doubled: 0, longestDelayMs: 0 };

/**
 * A link without a network: what is sent reaches `peer`, and what `peer` sends the receiver: a millisecond later, or later
 * than that, twice or never.
 */
export class LossyLink implements FrameLink {
  /** Set by the peer. */
  peer: (frame: string | Buffer) => void = () => undefined;
  pings = 0;
  paused = false;
  closed = false;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #disturbance: Disturbance;
  #receiver: FrameReceiver | undefined;

  constructor(clock: Clock, random: Random, disturbance: Disturbance = UNDISTURBED) {
    this.#clock = clock;
    this.#random = random;
    this.#disturbance = disturbance;
  }

  receive(receiver: FrameReceiver): void {
    this.#receiver = receiver;
  }

  send(frame: string | Buffer): void {
    if (this.closed) return;
    // The first frame opens the channel; a real connection loses none.
    if (typeof frame === 'string') this.peer(frame);
    else this.#carry(() => this.peer(frame));
  }

  /** The peer sends. */
  deliver(frame: Buffer): void {
    this.#carry(() => {
      if (!this.closed) this.#receiver?.frame(frame);
    });
  }

  ping(): void {
    this.pings += 1;
  }

  pong(): void {
    this.#receiver?.pong();
  }

  pause(): void {
    this.paused = true;
  }

  resume(): void {
    this.paused = false;
  }

  close(): void {
    this.break('closed by us');
  }

  break(reason: string): void {
    if (this.closed) return;
    this.closed = true;
    this.#receiver?.closed(reason);
  }

  #carry(arrive: () => void): void {
    const { lost, doubled, longestDelayMs } = this.#disturbance;
    const times = this.#random.next() < doubled ? 2 : 1;
    for (let time = 0; time < times; time += 1) {
      if (this.#random.next() < lost) continue;
      void this.#clock.sleep(1 + Math.floor(this.#random.next() * longestDelayMs)).then(arrive);
    }
  }
}
