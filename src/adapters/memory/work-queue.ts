import type { Clock } from '../../core/clock.ts';
import { InvalidError } from '../../core/errors.ts';
import type { PodWake, QueueMessage } from '../../model/messages.ts';
import type { Workload } from '../../model/workload.ts';
import type { Delayed, WorkQueue } from '../../ports/work-queue.ts';
import { KeyedQueue, type Taken } from './keyed-queue.ts';

/** Everything that waits under one key: of a pod the wake and what was observed of its workloads. */
export interface QueuedWork {
  readonly message?: QueueMessage;
  /** The newest observation of each workload. */
  readonly observations: readonly Workload[];
}

const MAX_DELAY_SECONDS = 900;

/** The work queue of one process. Messages of one pod become one, and a pod is never worked on twice at once. */
export class MemoryWorkQueue implements WorkQueue {
  readonly #queue: KeyedQueue<QueuedWork>;

  constructor({ clock }: { readonly clock: Clock }) {
    this.#queue = new KeyedQueue({ clock, merge: mergeWork });
  }

  async send(messages: readonly Delayed[], signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    for (const { delaySeconds = 0 } of messages)
      if (!Number.isInteger(delaySeconds) || delaySeconds < 0 || delaySeconds > MAX_DELAY_SECONDS)
        throw new InvalidError(`delaySeconds is ${delaySeconds}: give a whole number from 0 to ${MAX_DELAY_SECONDS}`);
    for (const { message, delaySeconds = 0 } of messages)
      this.#queue.add(keyOf(message), { message, observations: [] }, delaySeconds * 1_000);
  }

  /** Wakes a pod at once. */
  wake(message: PodWake): void {
    this.#queue.add(message.uid, { message, observations: [] });
  }

  /** Something of a workload has been seen. One that belongs to no pod is left alone. */
  observe(workload: Workload): void {
    if (workload.podUid !== undefined) this.#queue.add(workload.podUid, { observations: [workload] });
  }

  /** The next piece of work, as soon as there is one. Rejects with the reason of `signal`. */
  take(signal: AbortSignal): Promise<Taken<QueuedWork>> {
    return this.#queue.take(signal);
  }

  /** The next piece of work, where there is one now. */
  tryTake(): Taken<QueuedWork> | undefined {
    return this.#queue.tryTake();
  }

  done(key: string): void {
    this.#queue.done(key);
  }

  failed(key: string, work: QueuedWork): void {
    this.#queue.failed(key, work);
  }

  get length(): number {
    return this.#queue.length;
  }

  get inProgress(): number {
    return this.#queue.inProgress;
  }

  stop(): void {
    this.#queue.stop();
  }
}

const keyOf = (message: QueueMessage): string => (message.kind === 'wake' ? message.uid : `beat/${message.slot}`);

const mergeWork = (waiting: QueuedWork, added: QueuedWork): QueuedWork => {
  const message = mergeMessages(waiting.message, added.message);
  return { ...(message && { message }), observations: mergeObservations(waiting.observations, added.observations) };
};

/** The last word on whether the pod is there counts: who has only been reminded of it has not seen it. */
const mergeMessages = (waiting: QueueMessage | undefined, added: QueueMessage | undefined): QueueMessage | undefined =>
  waiting && (added === undefined || isReminder(added)) ? waiting : added;

const isReminder = (message: QueueMessage): boolean =>
  message.kind === 'wake' && (message.reason === 'timer' || message.reason === 'requeue');

const mergeObservations = (waiting: readonly Workload[], added: readonly Workload[]): readonly Workload[] => {
  const newest = new Map(waiting.map((workload) => [workload.id, workload]));
  for (const workload of added)
    if (workload.version >= (newest.get(workload.id)?.version ?? 0)) newest.set(workload.id, workload);
  return [...newest.values()];
};
