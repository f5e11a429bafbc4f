import type { Clock } from '../../core/clock.ts';
import { ConflictError } from '../../core/errors.ts';
import type { Logger } from '../../ports/logger.ts';
import type { NodeStore } from '../../ports/node-store.ts';
import type { Delayed, WorkQueue } from '../../ports/work-queue.ts';

/** Length of a slot: kubelet renews its lease every 10 s. */
export const SLOT_MS = 10_000;
/** Beats are sent this far ahead, so that two runs of the schedule may be lost. */
const AHEAD_MS = 180_000;

/** Sends the beats of the coming slots, each once. */
export class BeatScheduler {
  readonly #store: NodeStore;
  readonly #even: WorkQueue;
  readonly #odd: WorkQueue;
  readonly #clock: Clock;
  readonly #logger: Logger;

  constructor(deps: {
    readonly store: NodeStore;
    /** Carries the even slots. */
    readonly beatsQueue: WorkQueue;
    /** Carries the odd slots: one queue that is stuck still leaves a beat every 20 s. */
    readonly podQueue: WorkQueue;
    readonly clock: Clock;
    readonly logger: Logger;
  }) {
    this.#store = deps.store;
    this.#even = deps.beatsQueue;
    this.#odd = deps.podQueue;
    this.#clock = deps.clock;
    this.#logger = deps.logger;
  }

  /**
   * Sends the beats up to now + 180 s that are not sent yet. Where a queue refuses, the cursor stays and the next run sends
   * them again: a beat that comes twice is cheap, one that never comes is not. @throws the refusal.
   */
  async sendAhead(signal: AbortSignal): Promise<void> {
    const now = this.#clock.now();
    const cursor = await this.#store.beatCursor();
    const slots = planSlots(now, cursor);
    const last = slots.at(-1);
    if (last === undefined) return;
    const sent = await Promise.allSettled([
      this.#send(this.#even, slots.filter(isEven), now, signal),
      this.#send(
        this.#odd,
        slots.filter((slot) => !isEven(slot)),
        now,
        signal,
      ),
    ]);
    for (const result of sent) if (result.status === 'rejected') throw result.reason;
    try {
      await this.#store.moveBeatCursor(cursor, last);
    } catch (error) {
      if (!(error instanceof ConflictError)) throw error;
      this.#logger.info('beats were sent by two runs', { until: last });
    }
  }

  async #send(queue: WorkQueue, slots: readonly number[], now: number, signal: AbortSignal): Promise<void> {
    const messages = slots.map(
      (slot): Delayed => ({
        message: { v: 1, kind: 'beat', slot },
        delaySeconds: Math.max(0, Math.ceil((slot - now) / 1_000)),
      }),
    );
    if (messages.length > 0) await queue.send(messages, signal);
  }
}

/** Beginnings of the slots to send now; `cursor` is the last one sent. Pure. */
export const planSlots = (now: number, cursor: number | undefined): readonly number[] => {
  const current = Math.floor(now / SLOT_MS) * SLOT_MS;
  const end = now + AHEAD_MS;
  // A cursor far beyond what any run sends was written by a wrong clock: believing it would end the beats.
  const sent = cursor !== undefined && cursor <= end + AHEAD_MS ? cursor : current;
  const slots: number[] = [];
  for (let slot = Math.max(sent, current) + SLOT_MS; slot <= end; slot += SLOT_MS) slots.push(slot);
  return slots;
};

const isEven = (slot: number): boolean => (slot / SLOT_MS) % 2 === 0;
