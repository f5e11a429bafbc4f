import type { Random } from '../../../../src/core/clock.ts';
import type { FaultBoard } from '../faults/fault-board.ts';

/** A frame held back so that the next one overtakes it goes on after this time at the latest. */
const heldForMs = 100;

interface Options {
  readonly faults: FaultBoard;
  readonly random: Random;
  readonly after: (ms: number, act: () => void) => void;
  readonly towards: 'client' | 'agent';
}

/** One direction of a data channel, which the fault `data-channel` makes lose, repeat, reorder and delay its frames. */
export class Disturbance {
  readonly #options: Options;
  #held: (() => void)[] = [];

  constructor(options: Options) {
    this.#options = options;
  }

  /** Delivers once, twice, later or never. */
  pass(deliver: () => void): void {
    const { faults, random, after, towards } = this.#options;
    const fault = faults.take('data-channel', (it) => it.towards === undefined || it.towards === towards);
    if (!fault) return this.#deliver(deliver);
    const { drop = 0, duplicate = 0, reorder = 0, delayMs = 0 } = fault;
    if (random.next() < drop) return;
    const times = random.next() < duplicate ? 2 : 1;
    for (let time = 0; time < times; time += 1) {
      if (random.next() < reorder) this.#hold(deliver);
      else if (delayMs > 0) after(delayMs, () => this.#deliver(deliver));
      else this.#deliver(deliver);
    }
  }

  #deliver(deliver: () => void): void {
    deliver();
    this.#release();
  }

  #hold(deliver: () => void): void {
    this.#held.push(deliver);
    this.#options.after(heldForMs, () => this.#release());
  }

  #release(): void {
    const held = this.#held;
    this.#held = [];
    for (const deliver of held.toReversed()) deliver();
  }
}
