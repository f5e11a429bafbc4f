import { BatchProcessor, EventType, processPartialResponse } from '@aws-lambda-powertools/batch';
import type { SQSBatchResponse, SQSEvent } from 'aws-lambda';
import type { PodWork, PodWorkResult } from '../controllers/pod/pod-worker.ts';
import { withDeadline } from '../core/deadline.ts';
import { PermanentError } from '../core/errors.ts';
import type { Beat } from '../model/messages.ts';
import { workingTimeMs } from './invocation.ts';
import { type LambdaHandler, type LambdaOptions, lambdaHandler } from './lambda-handler.ts';
import { type ParsedMessage, parseMessage } from './queue-message.ts';

/** Who takes the messages of a queue. */
export interface QueueWorkers {
  /** All wakes and notifications of a batch at once: one result each, in order. Left out where the queue carries none. */
  readonly pods?: { work(items: readonly PodWork[], signal: AbortSignal): Promise<readonly PodWorkResult[]> };
  readonly beats?: { beat(beat: Beat, signal: AbortSignal): Promise<unknown> };
}

/** True for what Lambda hands to a function whose trigger is an SQS queue. */
export const isSqsEvent = (event: unknown): event is SQSEvent =>
  typeof event === 'object' &&
  event !== null &&
  'Records' in event &&
  Array.isArray(event.Records) &&
  event.Records.every(isSqsRecord);

/**
 * Takes a batch of an SQS queue. A record that cannot be read, and one whose work failed, is reported alone, so that SQS
 * delivers it again and at last moves it to the dead-letter queue; the others count as done. What is not understood is
 * logged by message id and by what is wrong with it, never by its text. The trigger must report batch item failures.
 */
export const queueHandler = (workers: QueueWorkers, options: LambdaOptions): LambdaHandler<SQSBatchResponse> => {
  const { clock, logger } = options;
  return lambdaHandler(async (event, context) => {
    if (!isSqsEvent(event))
      throw new PermanentError('the event is not one of SQS: correct the trigger of this function');
    const deadline = { ms: workingTimeMs(context), what: 'the batch', signal: new AbortController().signal };
    const within = <T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> => withDeadline(clock, deadline, work);

    const messages = new Map(event.Records.map(({ messageId, body }) => [messageId, parseMessage(body)]));
    const pods = podsAtOnce(messages, workers, within);
    const outcomeOf = async (id: string, message: ParsedMessage | undefined): Promise<void> => {
      switch (message?.kind) {
        case undefined:
        case 'malformed':
          throw new PermanentError('the message cannot be read');
        case 'beat':
          if (!workers.beats) throw new PermanentError('this queue carries no beats: correct the trigger');
          await within((signal) => Promise.resolve(workers.beats?.beat(message.beat, signal)));
          return;
        case 'wake':
        case 'notification': {
          const result = (await pods).get(id);
          if (!result?.ok) throw asError(result?.error ?? new PermanentError('the message got no result'));
          return;
        }
        default:
          message satisfies never;
      }
    };
    const processor = new BatchProcessor(EventType.SQS);
    const handleRecord = async ({ messageId }: { readonly messageId: string }): Promise<void> => {
      const message = messages.get(messageId);
      try {
        await outcomeOf(messageId, message);
      } catch (error) {
        if (message?.kind === 'malformed')
          logger.error('message not understood', { messageId, faults: message.faults });
        else logger.error('message failed', { messageId, kind: message?.kind, error });
        throw error;
      }
    };
    return processPartialResponse(event, handleRecord, processor, { throwOnFullBatchFailure: false });
  }, options);
};

/** The results of everything about pods in the batch, by message id. */
const podsAtOnce = async (
  messages: ReadonlyMap<string, ParsedMessage>,
  { pods }: QueueWorkers,
  within: <T>(work: (signal: AbortSignal) => Promise<T>) => Promise<T>,
): Promise<ReadonlyMap<string, PodWorkResult>> => {
  const items = [...messages].flatMap(([id, message]): [string, PodWork][] =>
    message.kind === 'wake' || message.kind === 'notification' ? [[id, message]] : [],
  );
  if (items.length === 0) return new Map();
  if (!pods) {
    const error = new PermanentError('this queue carries no wakes and no notifications: correct the trigger');
    return new Map(items.map(([id]) => [id, { ok: false, error }]));
  }
  const work = items.map(([, item]) => item);
  try {
    const results = await within((signal) => pods.work(work, signal));
    return new Map(items.flatMap(([id], index) => (results[index] ? [[id, results[index]]] : [])));
  } catch (error) {
    return new Map(items.map(([id]) => [id, { ok: false, error }]));
  }
};

const isSqsRecord = (record: unknown): boolean =>
  typeof record === 'object' &&
  record !== null &&
  'messageId' in record &&
  typeof record.messageId === 'string' &&
  'body' in record &&
  typeof record.body === 'string';

const asError = (error: unknown): Error => (error instanceof Error ? error : new Error(String(error)));
