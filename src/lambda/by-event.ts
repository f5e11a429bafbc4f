import type { SQSBatchResponse } from 'aws-lambda';
import type { LambdaHandler } from './lambda-handler.ts';
import { isSqsEvent } from './queue-handler.ts';

/** One function with two triggers: batches of a queue go to `queue`, everything else is a call of the schedule. */
export const handlerByEvent =
  ({
    queue,
    scheduled,
  }: {
    readonly queue: LambdaHandler<SQSBatchResponse>;
    readonly scheduled: LambdaHandler<void>;
  }): LambdaHandler<SQSBatchResponse | void> =>
  (event, context) =>
    isSqsEvent(event) ? queue(event, context) : scheduled(event, context);
