import type { Random } from '../../../../src/core/clock.ts';
import type { FaultBoard } from '../faults/fault-board.ts';
import type { Timers } from '../timers.ts';
import type { EventBridgeEvent } from './task-event.ts';

/** Takes events; a rejection makes the bus deliver again. */
export type EventListener = (event: EventBridgeEvent) => void | Promise<void>;

interface Options {
  readonly timers: Timers;
  readonly random: Random;
  readonly faults: FaultBoard;
  readonly delayMs: number;
  readonly listener: EventListener;
}

const attempts = 4;
const retryAfterMs = 1000;
/** A held event overtaken by nothing goes out after this time. */
const heldForMs = 2000;

/** EventBridge between the service and one target: at least once, in order unless a fault says otherwise. */
export class EventBus {
  readonly #options: Options;
  #held: EventBridgeEvent[] = [];

  constructor(options: Options) {
    this.#options = options;
  }

  publish(event: EventBridgeEvent): void {
    const { faults, random } = this.#options;
    const fault = faults.take('events');
    if (random.next() < (fault?.lose ?? 0)) return;
    const reordered = random.next() < (fault?.reorder ?? 0);
    const duplicated = random.next() < (fault?.duplicate ?? 0);
    if (reordered) {
      this.#hold(event);
    } else {
      this.#send(event);
      this.#release();
    }
    if (duplicated) this.#send(event);
  }

  #hold(event: EventBridgeEvent): void {
    this.#held.push(event);
    this.#options.timers.after(heldForMs, () => this.#release());
  }

  #release(): void {
    const held = this.#held;
    this.#held = [];
    for (const event of held.toReversed()) this.#send(event);
  }

  #send(event: EventBridgeEvent, attempt = 1): void {
    this.#options.timers.after(attempt === 1 ? this.#options.delayMs : retryAfterMs, async () => {
      try {
        await this.#options.listener(event);
      } catch {
        if (attempt < attempts) this.#send(event, attempt + 1);
      }
    });
  }
}
