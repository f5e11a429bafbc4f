import { expect, it } from 'vitest';
import { FakeClock } from '../../fakes/clock.ts';
import { FakeWorkQueue } from '../../fakes/queue/fake-work-queue.ts';
import { describeWorkQueue } from './work-queue-contract.ts';

describeWorkQueue('fake', () => {
  const clock = new FakeClock();
  const queue = new FakeWorkQueue(clock);
  return { queue, receiveAll: async () => queue.receive(100), second: () => clock.advance(1000) };
});

const beats = (...slots: readonly number[]) =>
  slots.map((slot) => ({ message: { v: 1, kind: 'beat', slot } as const }));

it('the fake can deliver twice and out of order', async () => {
  const queue = new FakeWorkQueue(new FakeClock());
  queue.duplicate();
  await queue.send(beats(1, 2), new AbortController().signal);
  queue.reorder();
  expect(queue.receive().map((message) => message.kind === 'beat' && message.slot)).toEqual([2, 1, 1]);
});
