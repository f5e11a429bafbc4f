import type { Clock } from '../../../src/core/clock.ts';
import { InvalidError } from '../../../src/core/errors.ts';
import type { QueueMessage } from '../../../src/model/messages.ts';
import type { Delayed, WorkQueue } from '../../../src/ports/work-queue.ts';
import { frozenJson } from '../frozen-json.ts';

interface Waiting {
  readonly dueAt: number;
  readonly message: QueueMessage;
}

/** A queue that keeps its messages until the clock reaches their delay, and can be told to misbehave as SQS may. */
export class FakeWorkQueue implements WorkQueue {
  /** Runs before a send keeps anything: throw or stall here. */
  before: ((messages: readonly Delayed[]) => void | Promise<void>) | undefined;
  /** Everything ever accepted, in order. */
  readonly sent: Delayed[] = [];

  readonly #clock: Clock;
  #waiting: Waiting[] = [];
  #duplicates = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async send(messages: readonly Delayed[], signal: AbortSignal): Promise<void> {
    for (const { delaySeconds = 0 } of messages) {
      if (!Number.isInteger(delaySeconds) || delaySeconds < 0 || delaySeconds > 900) {
        throw new InvalidError(`delaySeconds is ${delaySeconds}: give a whole number from 0 to 900`);
      }
    }
    await this.before?.(messages);
    signal.throwIfAborted();
    for (const { message, delaySeconds } of messages) {
      const copy = frozenJson(message);
      const waiting = { dueAt: this.#clock.now() + (delaySeconds ?? 0) * 1000, message: copy };
      this.sent.push({ message: copy, ...(delaySeconds !== undefined && { delaySeconds }) });
      this.#waiting.push(waiting);
      if (this.#duplicates > 0) {
        this.#duplicates -= 1;
        this.#waiting.push({ ...waiting });
      }
    }
  }

  /** The next `count` messages sent are delivered twice. */
  duplicate(count = 1): void {
    this.#duplicates += count;
  }

  /** What waits is delivered in the opposite order. */
  reorder(): void {
    this.#waiting.reverse();
  }

  /** Takes up to `max` messages whose delay is over. They count as processed: `redeliver` what was not. */
  receive(max = 10): readonly QueueMessage[] {
    const now = this.#clock.now();
    const due: Waiting[] = [];
    const kept: Waiting[] = [];
    for (const waiting of this.#waiting) (waiting.dueAt <= now && due.length < max ? due : kept).push(waiting);
    this.#waiting = kept;
    return due.map(({ message }) => message);
  }

  /** Puts a received message back, as its visibility time-out does after `afterSeconds`. */
  redeliver(message: QueueMessage, afterSeconds = 0): void {
    this.#waiting.push({ dueAt: this.#clock.now() + afterSeconds * 1000, message });
  }

  /** How many messages wait, due or not. */
  get length(): number {
    return this.#waiting.length;
  }

  /** When the next message is due, in milliseconds since the epoch. */
  get nextDueAt(): number | undefined {
    return this.#waiting.length === 0 ? undefined : Math.min(...this.#waiting.map(({ dueAt }) => dueAt));
  }
}
