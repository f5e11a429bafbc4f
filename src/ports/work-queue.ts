import type { QueueMessage } from '../model/messages.ts';

/** At least once, in any order. `delaySeconds` 0 to 900. */
export interface WorkQueue {
  send(messages: readonly Delayed[], signal: AbortSignal): Promise<void>;
}

export interface Delayed {
  readonly message: QueueMessage;
  readonly delaySeconds?: number;
}
