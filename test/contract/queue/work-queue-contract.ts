import { beforeEach, describe, expect, it } from 'vitest';
import { InvalidError } from '../../../src/core/errors.ts';
import type { Beat, PodWake, QueueMessage } from '../../../src/model/messages.ts';
import type { WorkQueue } from '../../../src/ports/work-queue.ts';

/** A queue and its other end. */
export interface QueueUnderTest {
  readonly queue: WorkQueue;
  /** All that can be had now. */
  receiveAll(): Promise<readonly QueueMessage[]>;
  /** Lets a second pass. */
  second(): Promise<void>;
}

const beat = (slot: number): Beat => ({ v: 1, kind: 'beat', slot });

const wake: PodWake = {
  v: 1,
  kind: 'wake',
  reason: 'bind',
  uid: 'u1',
  namespace: 'default',
  name: 'web',
  node: 'fargate',
};

/** What every work queue must do. */
export const describeWorkQueue = (name: string, make: () => QueueUnderTest | Promise<QueueUnderTest>): void => {
  describe(`${name}: a work queue`, () => {
    let test: QueueUnderTest;
    const signal = new AbortController().signal;
    beforeEach(async () => {
      test = await make();
    });

    const slots = async (): Promise<readonly number[]> =>
      (await test.receiveAll())
        .flatMap((message) => (message.kind === 'beat' ? [message.slot] : []))
        .sort((a, b) => a - b);

    it('delivers a message as it was sent', async () => {
      await test.queue.send([{ message: wake }], signal);
      expect(await test.receiveAll()).toEqual([
        { v: 1, kind: 'wake', reason: 'bind', uid: 'u1', namespace: 'default', name: 'web', node: 'fargate' },
      ]);
    });

    it('delivers more messages than fit into one request', async () => {
      await test.queue.send(
        Array.from({ length: 23 }, (_, n) => ({ message: beat(n) })),
        signal,
      );
      expect(await slots()).toEqual(Array.from({ length: 23 }, (_, n) => n));
    });

    it('takes nothing for nothing', async () => {
      await test.queue.send([], signal);
      expect(await test.receiveAll()).toEqual([]);
    });

    it('holds a message back for its delay', async () => {
      await test.queue.send(
        [
          { message: beat(1), delaySeconds: 1 },
          { message: beat(2), delaySeconds: 900 },
          { message: beat(0), delaySeconds: 0 },
        ],
        signal,
      );
      expect(await slots()).toEqual([0]);
      await test.second();
      expect(await slots()).toEqual([1]);
    });

    it.each([-1, 901, 1.5, Number.NaN])('refuses a delay of %d s and sends nothing', async (delaySeconds) => {
      const send = test.queue.send([{ message: beat(1) }, { message: beat(2), delaySeconds }], signal);
      await expect(send).rejects.toBeInstanceOf(InvalidError);
      expect(await test.receiveAll()).toEqual([]);
    });

    it('sends nothing once its caller has given up', async () => {
      await expect(test.queue.send([{ message: beat(1) }], AbortSignal.abort())).rejects.toThrow(/aborted/i);
      expect(await test.receiveAll()).toEqual([]);
    });
  });
};
