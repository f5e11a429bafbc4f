import {
  DeleteMessageBatchCommand,
  type Message,
  type MessageAttributeValue,
  ReceiveMessageCommand,
  type SQSClient,
} from '@aws-sdk/client-sqs';
import type { LocalLambda } from './lambda.ts';
import { LOCAL_ACCOUNT, type ReferenceContext, resolveReferences } from './references.ts';
import { type FunctionDefinition, isRecord } from './service.ts';

/** One `sqs` event of a function. */
export interface QueueTrigger {
  readonly functionName: string;
  readonly queueArn: string;
  readonly batchSize: number;
  readonly concurrency: number;
  readonly partialFailures: boolean;
}

/** Every enabled `sqs` event of the service. */
export const queueTriggersOf = (context: ReferenceContext): readonly QueueTrigger[] =>
  Object.values(context.service.functions).flatMap((definition) => triggersOf(definition, context));

const triggersOf = (definition: FunctionDefinition, context: ReferenceContext): readonly QueueTrigger[] =>
  (definition.events ?? []).flatMap(({ sqs }) => {
    if (sqs === undefined || (isRecord(sqs) && sqs['enabled'] === false)) return [];
    const options = isRecord(sqs) ? sqs : {};
    return [
      {
        functionName: definition.name,
        queueArn: String(resolveReferences(options['arn'] ?? sqs, context)),
        batchSize: Number(options['batchSize'] ?? 10),
        concurrency: Number(options['maximumConcurrency'] ?? 2),
        partialFailures: options['functionResponseType'] === 'ReportBatchItemFailures',
      },
    ];
  });

/**
 * Stands for a Lambda event source mapping: receives batches, invokes the function, deletes what it did not report as
 * failed. A failed invocation leaves the whole batch to become visible again, as on AWS.
 */
export class QueuePoller {
  readonly #client: SQSClient;
  readonly #lambda: LocalLambda;
  readonly #trigger: QueueTrigger;
  readonly #queueUrl: string;
  readonly #region: string;
  readonly #stop = new AbortController();
  #loops: Promise<void>[] = [];

  constructor(deps: {
    client: SQSClient;
    lambda: LocalLambda;
    trigger: QueueTrigger;
    endpoint: string;
    region: string;
  }) {
    this.#client = deps.client;
    this.#lambda = deps.lambda;
    this.#trigger = deps.trigger;
    this.#region = deps.region;
    this.#queueUrl = `${deps.endpoint}/${LOCAL_ACCOUNT}/${deps.trigger.queueArn.split(':').pop()}`;
  }

  start(): void {
    this.#loops = Array.from({ length: this.#trigger.concurrency }, () => this.#poll());
  }

  /** Ends the waiting receives; batches under way are finished. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await Promise.allSettled(this.#loops);
  }

  async #poll(): Promise<void> {
    while (!this.#stop.signal.aborted) {
      try {
        await this.#once();
      } catch (error) {
        if (this.#stop.signal.aborted) return;
        console.error(`local cloud: queue trigger of ${this.#trigger.functionName}: ${String(error)}`);
        await new Promise((resolve) => setTimeout(resolve, 1_000));
      }
    }
  }

  async #once(): Promise<void> {
    const { Messages = [] } = await this.#client.send(
      new ReceiveMessageCommand({
        QueueUrl: this.#queueUrl,
        MaxNumberOfMessages: Math.min(this.#trigger.batchSize, 10),
        WaitTimeSeconds: 20,
        MessageSystemAttributeNames: ['All'],
        MessageAttributeNames: ['All'],
      }),
      { abortSignal: this.#stop.signal },
    );
    if (Messages.length === 0) return;
    const Records = Messages.map((message) => this.#record(message));
    const { failed, payload } = await this.#lambda.invoke(this.#trigger.functionName, { Records });
    if (failed) return;
    const kept = this.#trigger.partialFailures ? failuresIn(payload) : new Set<string>();
    if (kept.has('')) return;
    const done = Messages.filter(({ MessageId = '' }) => !kept.has(MessageId));
    const Entries = done.map(({ MessageId, ReceiptHandle }) => ({ Id: MessageId, ReceiptHandle }));
    if (Entries.length > 0)
      await this.#client.send(new DeleteMessageBatchCommand({ QueueUrl: this.#queueUrl, Entries }));
  }

  #record(message: Message): object {
    return {
      messageId: message.MessageId,
      receiptHandle: message.ReceiptHandle,
      body: message.Body,
      attributes: message.Attributes,
      messageAttributes: Object.fromEntries(Object.entries(message.MessageAttributes ?? {}).map(eventAttribute)),
      md5OfBody: message.MD5OfBody,
      eventSource: 'aws:sqs',
      eventSourceARN: this.#trigger.queueArn,
      awsRegion: this.#region,
    };
  }
}

const eventAttribute = ([name, value]: [string, MessageAttributeValue]): [string, object] => [
  name,
  { dataType: value.DataType, stringValue: value.StringValue },
];

const failuresIn = (payload: unknown): ReadonlySet<string> => {
  const failures = isRecord(payload) ? payload['batchItemFailures'] : undefined;
  if (!Array.isArray(failures)) return new Set();
  return new Set(failures.map((failure: unknown) => (isRecord(failure) ? textOf(failure['itemIdentifier']) : '')));
};

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
