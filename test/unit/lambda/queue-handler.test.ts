import { describe, expect, it } from 'vitest';
import type { PodWork, PodWorkResult } from '../../../src/controllers/pod/pod-worker.ts';
import { TransientError } from '../../../src/core/errors.ts';
import { handlerByEvent } from '../../../src/lambda/by-event.ts';
import { queueHandler } from '../../../src/lambda/queue-handler.ts';
import { scheduledHandler } from '../../../src/lambda/scheduled-handler.ts';
import type { Beat } from '../../../src/model/messages.ts';
import { context, contextWith, optionsForTest } from './samples.ts';

const wake = (uid: string) =>
  JSON.stringify({ v: 1, kind: 'wake', reason: 'bind', uid, namespace: 'default', name: 'web' });
const beat = (slot: number) => JSON.stringify({ v: 1, kind: 'beat', slot });
const taskEvent = JSON.stringify({
  source: 'aws.ecs',
  'detail-type': 'ECS Task State Change',
  detail: { taskArn: 't' },
});

const batchOf = (...bodies: readonly string[]) => ({
  Records: bodies.map((body, index) => ({ messageId: `m${index}`, body, eventSource: 'aws:sqs' })),
});

const failuresOf = (response: { readonly batchItemFailures: readonly { readonly itemIdentifier: string }[] }) =>
  response.batchItemFailures.map(({ itemIdentifier }) => itemIdentifier);

/** Pods' worker that keeps its batches and answers what `result` says of each item. */
const podsWith = (result: (item: PodWork) => PodWorkResult = () => ({ ok: true })) => {
  const batches: (readonly PodWork[])[] = [];
  return {
    batches,
    work: async (items: readonly PodWork[]) => {
      batches.push(items);
      return items.map(result);
    },
  };
};

const keepBeats = () => {
  const slots: number[] = [];
  return { slots, beat: async ({ slot }: Beat) => void slots.push(slot) };
};

describe('queueHandler', () => {
  it('gives all that is about pods to the worker at once, and each beat to the heartbeat', async () => {
    const pods = podsWith();
    const beats = keepBeats();
    const handler = queueHandler({ pods, beats }, optionsForTest());
    expect(await handler(batchOf(wake('u1'), beat(10), taskEvent, wake('u2')), context)).toEqual({
      batchItemFailures: [],
    });
    expect(pods.batches).toEqual([
      [
        { kind: 'wake', wake: { v: 1, kind: 'wake', reason: 'bind', uid: 'u1', namespace: 'default', name: 'web' } },
        {
          kind: 'notification',
          notification: { source: 'aws.ecs', 'detail-type': 'ECS Task State Change', detail: { taskArn: 't' } },
        },
        { kind: 'wake', wake: { v: 1, kind: 'wake', reason: 'bind', uid: 'u2', namespace: 'default', name: 'web' } },
      ],
    ]);
    expect(beats.slots).toEqual([10]);
  });

  it('reports a malformed record alone, and keeps its text out of the log', async () => {
    const pods = podsWith();
    const options = optionsForTest();
    const handler = queueHandler({ pods }, options);
    const response = await handler(batchOf('{"password":"hunter2"}', wake('u1')), context);
    expect(failuresOf(response)).toEqual(['m0']);
    expect(pods.batches).toHaveLength(1);
    expect(options.logger.lines).toEqual([
      {
        level: 'error',
        message: 'message not understood',
        fields: { messageId: 'm0', faults: [{ field: 'kind', message: 'is not as expected' }] },
      },
    ]);
  });

  it('reports a record whose work failed alone', async () => {
    const error = new TransientError('no');
    const pods = podsWith((item) =>
      item.kind === 'wake' && item.wake.uid === 'bad' ? { ok: false, error } : { ok: true },
    );
    const options = optionsForTest();
    const response = await queueHandler({ pods }, options)(batchOf(wake('u1'), wake('bad'), taskEvent), context);
    expect(failuresOf(response)).toEqual(['m1']);
    expect(options.logger.lines).toEqual([
      { level: 'error', message: 'message failed', fields: { messageId: 'm1', kind: 'wake', error } },
    ]);
  });

  it('reports all records and does not throw where all failed', async () => {
    const pods = { work: () => Promise.reject(new Error('boom')) };
    const response = await queueHandler({ pods }, optionsForTest())(batchOf(wake('u1'), 'x', taskEvent), context);
    expect(failuresOf(response).sort()).toEqual(['m0', 'm1', 'm2']);
  });

  it('reports a beat that failed, and none of the others', async () => {
    const beats = { beat: ({ slot }: Beat) => (slot === 20 ? Promise.reject(new Error('late')) : Promise.resolve()) };
    const pods = podsWith();
    const response = await queueHandler({ pods, beats }, optionsForTest())(
      batchOf(beat(10), beat(20), wake('u1')),
      context,
    );
    expect(failuresOf(response)).toEqual(['m1']);
  });

  it('reports what this queue does not carry', async () => {
    const beats = keepBeats();
    const response = await queueHandler({ beats }, optionsForTest())(batchOf(wake('u1'), beat(10), taskEvent), context);
    expect(failuresOf(response)).toEqual(['m0', 'm2']);
    expect(failuresOf(await queueHandler({}, optionsForTest())(batchOf(beat(10)), context))).toEqual(['m0']);
  });

  it('reports a record that a short list of results says nothing about', async () => {
    const pods = { work: async () => [{ ok: true } as const] };
    const response = await queueHandler({ pods }, optionsForTest())(batchOf(wake('u1'), wake('u2')), context);
    expect(failuresOf(response)).toEqual(['m1']);
  });

  it('answers two seconds before its time is over, whatever the worker does', async () => {
    const options = optionsForTest();
    let signal: AbortSignal | undefined;
    const pods = {
      work: (_items: readonly PodWork[], given: AbortSignal) => {
        signal = given;
        return new Promise<never>(() => undefined);
      },
    };
    const answer = queueHandler({ pods }, options)(batchOf(wake('u1')), contextWith(10_000));
    await options.clock.advance(7_999);
    expect(signal?.aborted).toBe(false);
    await options.clock.advance(1);
    expect(signal?.aborted).toBe(true);
    expect(failuresOf(await answer)).toEqual(['m0']);
  });

  it.each([[{}], [{ Records: [{ body: 'x' }] }], [undefined]])(
    'refuses an event that is not one of SQS: %j',
    async (event) => {
      await expect(queueHandler({}, optionsForTest())(event, context)).rejects.toThrow('correct the trigger');
    },
  );
});

describe('scheduledHandler', () => {
  it('runs, with the time of the invocation as its signal', async () => {
    const options = optionsForTest();
    let signal: AbortSignal | undefined;
    const run = (given: AbortSignal) => {
      signal = given;
      return new Promise<never>(() => undefined);
    };
    const answer = scheduledHandler(run, options)({}, contextWith(50_000)).catch((error: unknown) => error);
    await options.clock.advance(48_000);
    expect(signal?.aborted).toBe(true);
    expect(await answer).toBeInstanceOf(Error);
  });

  it('logs a failure once and fails with a constant text', async () => {
    const options = optionsForTest();
    const error = new Error('Bearer abc');
    const handler = scheduledHandler(() => Promise.reject(error), options);
    await expect(handler({}, context)).rejects.toThrow(/^the run failed: see the log above$/);
    expect(options.logger.lines).toEqual([{ level: 'error', message: 'run failed', fields: { error } }]);
  });

  it('answers nothing', async () => {
    expect(await scheduledHandler(async () => 7, optionsForTest())({}, context)).toBeUndefined();
  });
});

describe('handlerByEvent', () => {
  it('tells a batch from a call of the schedule', async () => {
    const calls: string[] = [];
    const handler = handlerByEvent({
      queue: async () => {
        calls.push('queue');
        return { batchItemFailures: [] };
      },
      scheduled: async () => void calls.push('scheduled'),
    });
    expect(await handler(batchOf(beat(10)), context)).toEqual({ batchItemFailures: [] });
    await handler({ source: 'aws.events' }, context);
    expect(calls).toEqual(['queue', 'scheduled']);
  });
});

describe('middlewares', () => {
  it('are around the handler', async () => {
    const seen: string[] = [];
    const options = {
      ...optionsForTest(),
      middlewares: [{ before: () => void seen.push('before'), after: () => void seen.push('after') }],
    };
    await scheduledHandler(async () => void seen.push('run'), options)({}, context);
    expect(seen).toEqual(['before', 'run', 'after']);
  });
});
