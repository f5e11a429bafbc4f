import type { BatchResultErrorEntry, SendMessageBatchCommandInput, SQSClient } from '@aws-sdk/client-sqs';
import { describe, expect, it } from 'vitest';
import { SqsWorkQueue } from '../../../../src/adapters/sqs/work-queue.ts';
import { dispositionOf } from '../../../../src/core/errors.ts';
import { FakeClock } from '../../../fakes/clock.ts';

type Answer = (input: SendMessageBatchCommandInput) => readonly BatchResultErrorEntry[];

/** A client that answers one request after the other, and the ids it was sent. */
const answering = (...answers: readonly Answer[]) => {
  const sent: (readonly (string | undefined)[])[] = [];
  const send = async ({ input }: { readonly input: SendMessageBatchCommandInput }) => {
    const answer = answers[sent.length];
    sent.push((input.Entries ?? []).map(({ Id }) => Id));
    if (!answer) throw new Error('one request too many');
    return { Failed: answer(input) };
  };
  return { client: { send } as unknown as Pick<SQSClient, 'send'>, sent };
};

const failing =
  (ids: readonly string[], fields: Partial<BatchResultErrorEntry> = {}): Answer =>
  () =>
    ids.map((Id) => ({ Id, Code: 'InternalError', SenderFault: false, ...fields }));

const takesAll = failing([]);

const sendThree = async (client: Pick<SQSClient, 'send'>): Promise<unknown> => {
  const clock = new FakeClock();
  const queue = new SqsWorkQueue({ client, queueUrl: 'https://sqs/1/pods', clock });
  const messages = [1, 2, 3].map((slot) => ({ message: { v: 1, kind: 'beat', slot } as const }));
  const sending = queue.send(messages, new AbortController().signal).catch((error: unknown) => error);
  await clock.advance(10_000);
  return sending;
};

describe('a batch that SQS takes in part', () => {
  it('is sent again as far as it was refused', async () => {
    const { client, sent } = answering(failing(['0', '2']), failing(['2']), takesAll);
    expect(await sendThree(client)).toBeUndefined();
    expect(sent).toEqual([['0', '1', '2'], ['0', '2'], ['2']]);
  });

  it('fails after three requests', async () => {
    const { client, sent } = answering(failing(['1']), failing(['1']), failing(['1']));
    const error = await sendThree(client);
    expect(error).toMatchObject({ message: 'queue https://sqs/1/pods refused 1 messages: InternalError' });
    expect(dispositionOf(error)).toBe('transient');
    expect(sent).toHaveLength(3);
  });

  it('is told as a throttle where it is one', async () => {
    const throttled = failing(['0', '1', '2'], { Code: 'RequestThrottled' });
    expect(dispositionOf(await sendThree(answering(throttled, throttled, throttled).client))).toBe('throttled');
  });

  it('is not sent again where the fault is ours', async () => {
    const { client, sent } = answering(failing(['1'], { Code: 'InvalidMessageContents', SenderFault: true }));
    expect(dispositionOf(await sendThree(client))).toBe('permanent');
    expect(sent).toHaveLength(1);
  });
});

describe('errors of SQS', () => {
  const failingWith = (name: string): Pick<SQSClient, 'send'> => ({
    send: () => Promise.reject(Object.assign(new Error('because'), { name })),
  });

  it.each([
    ['QueueDoesNotExist', 'permanent'],
    ['AWS.SimpleQueueService.NonExistentQueue', 'permanent'],
    ['AccessDenied', 'permanent'],
    ['RequestThrottled', 'throttled'],
    ['TimeoutError', 'transient'],
  ])('%s is %s', async (name, disposition) => {
    expect(dispositionOf(await sendThree(failingWith(name)))).toBe(disposition);
  });

  it('name the queue that is missing and the fix', async () => {
    expect(await sendThree(failingWith('QueueDoesNotExist'))).toMatchObject({
      message: 'there is no queue https://sqs/1/pods: deploy it, or correct its URL and the region',
    });
  });
});
