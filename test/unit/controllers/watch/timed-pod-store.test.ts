import { expect, it } from 'vitest';
import { MemoryPodStore } from '../../../../src/adapters/memory/pod-store.ts';
import { TimedPodStore } from '../../../../src/controllers/watch/timed-pod-store.ts';
import { describePodStore } from '../../../contract/stores/pod-store-contract.ts';
import { MINUTE, NOW, wakeOf } from '../../../contract/stores/samples.ts';
import { FakeClock } from '../../../fakes/clock.ts';

const EMPTY = { attempts: [], restarts: {} };

const world = () => {
  const clock = new FakeClock(NOW);
  const woken: string[] = [];
  const store = new TimedPodStore(new MemoryPodStore(), {
    clock,
    wake: ({ uid, reason, node }) => void woken.push(`${clock.now() - NOW} ${uid} ${reason} ${node}`),
  });
  const claim = async (uid: string): Promise<void> => {
    await store.wake(wakeOf(uid));
    await store.claim(uid, { id: 'one', now: clock.now(), until: clock.now() + MINUTE });
  };
  return { clock, woken, store, claim };
};

it('wakes a pod to the moment', async () => {
  const { clock, woken, store, claim } = world();
  await claim('a1');
  await store.release('a1', 'one', { state: EMPTY, nextCheckAt: NOW + 1_234, renewUntil: NOW });
  await clock.advance(1_233);
  expect(woken).toEqual([]);
  await clock.advance(1);
  expect(woken).toEqual(['1234 a1 timer fargate']);
  await clock.advance(10 * MINUTE);
  expect(woken).toHaveLength(1);
});

it('wakes a pod whose holder never let go of it', async () => {
  const { clock, woken, claim } = world();
  await claim('a1');
  await clock.advance(MINUTE);
  expect(woken).toEqual(['60000 a1 timer fargate']);
});

it('follows what is written in the middle of the work', async () => {
  const { clock, woken, store, claim } = world();
  await claim('a1');
  await store.save('a1', 'one', { state: EMPTY, nextCheckAt: NOW + 500 });
  await clock.advance(500);
  expect(woken).toEqual(['500 a1 timer fargate']);
});

it('wakes nobody for a pod that has nothing due, or is forgotten', async () => {
  const { clock, woken, store, claim } = world();
  await claim('a1');
  await store.release('a1', 'one', { state: EMPTY, renewUntil: NOW });
  await claim('b2');
  await store.forget('b2', 'one', { renewUntil: NOW });
  await clock.advance(10 * MINUTE);
  expect(woken).toEqual([]);
});

it('keeps the timer of a claim that goes on', async () => {
  const { clock, woken, store, claim } = world();
  await claim('a1');
  await store.wake(wakeOf('a1'));
  await store.release('a1', 'one', { state: EMPTY, nextCheckAt: NOW + 5, renewUntil: NOW + 2 * MINUTE });
  await clock.advance(MINUTE);
  expect(woken).toEqual([]);
  await clock.advance(MINUTE);
  expect(woken).toEqual(['120000 a1 timer fargate']);
});

it('wakes nobody once stopped', async () => {
  const { clock, woken, store, claim } = world();
  await claim('a1');
  store.stop();
  await clock.advance(10 * MINUTE);
  expect(woken).toEqual([]);
});

describePodStore('with timers', () => world().store);
