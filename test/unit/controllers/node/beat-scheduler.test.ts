import { expect, it } from 'vitest';
import { BeatScheduler, planSlots } from '../../../../src/controllers/node/beat-scheduler.ts';
import type { LogFields, Logger } from '../../../../src/ports/logger.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import { FakeWorkQueue } from '../../../fakes/queue/fake-work-queue.ts';
import { FakeNodeStore } from '../../../fakes/stores/fake-node-store.ts';

const ZERO = Date.parse('2030-01-01T00:00:00Z');
const at = (seconds: number): number => ZERO + seconds * 1_000;
const range = (from: number, to: number): number[] =>
  Array.from({ length: (to - from) / 10 + 1 }, (_, index) => from + index * 10);

it.each<{ want: string; now: number; cursor: number | undefined; slots: number[] }>([
  { want: 'three minutes from the next slot on at first', now: 0, cursor: undefined, slots: range(10, 180) },
  { want: 'slots that have not begun, where a run comes late', now: 3, cursor: undefined, slots: range(10, 180) },
  { want: 'one more minute a minute later', now: 60, cursor: 180, slots: range(190, 240) },
  { want: 'what two lost runs left out', now: 180, cursor: 180, slots: range(190, 360) },
  { want: 'nothing twice', now: 1, cursor: 180, slots: [] },
  { want: 'everything anew after a long pause', now: 86_400, cursor: 180, slots: range(86_410, 86_580) },
  { want: 'everything anew where the cursor is of another time', now: 0, cursor: 86_400, slots: range(10, 180) },
])('sends $want', ({ now, cursor, slots }) => {
  const planned = planSlots(at(now), cursor === undefined ? undefined : at(cursor));
  expect(planned.map((slot) => (slot - ZERO) / 1_000)).toEqual(slots);
});

const { signal } = new AbortController();

const open = (
  start: number,
): { clock: FakeClock; scheduler: BeatScheduler } & Record<'even' | 'odd', FakeWorkQueue> & {
    store: FakeNodeStore;
  } => {
  const clock = new FakeClock(start);
  const [even, odd, store] = [new FakeWorkQueue(clock), new FakeWorkQueue(clock), new FakeNodeStore()];
  const scheduler = new BeatScheduler({ store, beatsQueue: even, podQueue: odd, clock, logger: silent });
  return { clock, scheduler, even, odd, store };
};

const ignore = (_message: string, _fields?: LogFields): void => undefined;
const silent: Logger = { debug: ignore, info: ignore, warn: ignore, error: ignore };

it('sends even slots through one queue and odd ones through the other, each when its slot begins', async () => {
  const { scheduler, even, odd, store } = open(at(3.4));
  await scheduler.sendAhead(signal);

  expect(even.sent.slice(0, 2)).toEqual([
    { message: { v: 1, kind: 'beat', slot: at(20) }, delaySeconds: 17 },
    { message: { v: 1, kind: 'beat', slot: at(40) }, delaySeconds: 37 },
  ]);
  expect(odd.sent.slice(0, 2)).toEqual([
    { message: { v: 1, kind: 'beat', slot: at(10) }, delaySeconds: 7 },
    { message: { v: 1, kind: 'beat', slot: at(30) }, delaySeconds: 27 },
  ]);
  expect(await store.beatCursor()).toBe(at(180));
});

it('leaves the cursor where a queue refused', async () => {
  const { scheduler, odd, store } = open(ZERO);
  odd.before = () => {
    throw new Error('stuck');
  };
  await expect(scheduler.sendAhead(signal)).rejects.toThrow('stuck');
  expect(await store.beatCursor()).toBeUndefined();
});

it('takes it well when another run was quicker', async () => {
  const { scheduler, store, even } = open(ZERO);
  even.before = () => store.moveBeatCursor(undefined, at(170));
  await scheduler.sendAhead(signal);
  expect(await store.beatCursor()).toBe(at(170));
});
