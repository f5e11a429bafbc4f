import { expect, it } from 'vitest';
import { MemoryWorkQueue } from '../../../../src/adapters/memory/work-queue.ts';
import type { PodWake, WakeReason } from '../../../../src/model/messages.ts';
import { workloadOf } from '../../../contract/stores/samples.ts';
import { FakeClock } from '../../../fakes/clock.ts';

const wake = (reason: WakeReason): PodWake => ({
  v: 1,
  kind: 'wake',
  reason,
  uid: 'a1',
  namespace: 'default',
  name: 'web',
  node: 'fargate',
});

const queueWith = (...reasons: readonly WakeReason[]): MemoryWorkQueue => {
  const queue = new MemoryWorkQueue({ clock: new FakeClock() });
  for (const reason of reasons) queue.wake(wake(reason));
  return queue;
};

it.each([
  { came: ['watch', 'timer'], stays: 'watch' },
  { came: ['watch', 'requeue'], stays: 'watch' },
  { came: ['timer', 'watch'], stays: 'watch' },
  { came: ['watch', 'delete'], stays: 'delete' },
  { came: ['delete', 'timer'], stays: 'delete' },
  { came: ['delete', 'watch'], stays: 'watch' },
] as const)('of $came the $stays stays: it was the last to say whether the pod is there', ({ came, stays }) => {
  const queue = queueWith(...came);
  expect(queue.length).toBe(1);
  expect(queue.tryTake()?.item.message).toMatchObject({ kind: 'wake', reason: stays });
});

it('keeps the newest observation of each workload, beside the wake', () => {
  const queue = queueWith('watch');
  queue.observe(workloadOf('a1', { id: 'one', version: 2 }));
  queue.observe(workloadOf('a1', { id: 'two', version: 1 }));
  queue.observe(workloadOf('a1', { id: 'one', version: 1 }));
  const { item } = queue.tryTake() ?? {};
  expect(item?.message).toMatchObject({ reason: 'watch' });
  expect(item?.observations.map(({ id, version }) => `${id} ${version}`)).toEqual(['one 2', 'two 1']);
});

it('leaves alone what belongs to no pod', () => {
  const queue = queueWith();
  queue.observe(workloadOf('a1', { podUid: undefined }));
  expect(queue.length).toBe(0);
});
