import {
  type BatchResultErrorEntry,
  SendMessageBatchCommand,
  type SendMessageBatchRequestEntry,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { Clock } from '../../core/clock.ts';
import { InvalidError, PermanentError, ThrottledError, TransientError } from '../../core/errors.ts';
import type { Delayed, WorkQueue } from '../../ports/work-queue.ts';
import { awsError } from '../aws/errors.ts';

export interface SqsWorkQueueOptions {
  /** What we need of the SDK's client. */
  readonly client: Pick<SQSClient, 'send'>;
  readonly queueUrl: string;
  readonly clock: Clock;
}

/**
 * A standard SQS queue. Messages go in batches of ten, side by side; of a batch that was taken in part the rest is sent
 * again, twice at most, then the send fails as a whole: sending it again repeats messages, which is harmless.
 */
export class SqsWorkQueue implements WorkQueue {
  readonly #client: Pick<SQSClient, 'send'>;
  readonly #queueUrl: string;
  readonly #clock: Clock;

  constructor({ client, queueUrl, clock }: SqsWorkQueueOptions) {
    this.#client = client;
    this.#queueUrl = queueUrl;
    this.#clock = clock;
  }

  async send(messages: readonly Delayed[], signal: AbortSignal): Promise<void> {
    const entries = messages.map(entryOf);
    const batches = Array.from({ length: Math.ceil(entries.length / 10) }, (_, n) =>
      entries.slice(n * 10, n * 10 + 10),
    );
    await Promise.all(batches.map((batch) => this.#sendBatch(batch, signal)));
  }

  async #sendBatch(batch: readonly SendMessageBatchRequestEntry[], signal: AbortSignal): Promise<void> {
    let rest = batch;
    for (const pauseMs of [100, 400, undefined]) {
      const failed = await this.#sendOnce(rest, signal);
      if (failed.length === 0) return;
      if (pauseMs === undefined || failed.some(({ SenderFault }) => SenderFault)) throw refusal(failed, this.#queueUrl);
      const ids = new Set(failed.map(({ Id }) => Id));
      rest = rest.filter(({ Id }) => ids.has(Id));
      await this.#clock.sleep(pauseMs, signal);
    }
  }

  async #sendOnce(
    batch: readonly SendMessageBatchRequestEntry[],
    signal: AbortSignal,
  ): Promise<readonly BatchResultErrorEntry[]> {
    try {
      const { Failed } = await this.#client.send(
        new SendMessageBatchCommand({ QueueUrl: this.#queueUrl, Entries: [...batch] }),
        { abortSignal: signal },
      );
      return Failed ?? [];
    } catch (error) {
      throw awsError(error, {
        doing: `send to queue ${this.#queueUrl}`,
        missing: `there is no queue ${this.#queueUrl}: deploy it, or correct its URL and the region`,
      });
    }
  }
}

const entryOf = ({ message, delaySeconds }: Delayed, index: number): SendMessageBatchRequestEntry => {
  // SQS's own limit; emulators take more.
  if (delaySeconds !== undefined && (!Number.isInteger(delaySeconds) || delaySeconds < 0 || delaySeconds > 900)) {
    throw new InvalidError(`delaySeconds is ${delaySeconds}: give a whole number from 0 to 900`);
  }
  return {
    Id: String(index),
    MessageBody: JSON.stringify(message),
    ...(delaySeconds !== undefined && { DelaySeconds: delaySeconds }),
  };
};

const refusal = (failed: readonly BatchResultErrorEntry[], queueUrl: string): Error => {
  const codes = [...new Set(failed.map(({ Code }) => Code ?? 'no code'))].join(', ');
  const message = `queue ${queueUrl} refused ${failed.length} messages: ${codes}`;
  if (failed.some(({ SenderFault }) => SenderFault)) return new PermanentError(message);
  return /throttl/i.test(codes) ? new ThrottledError(message) : new TransientError(message);
};
