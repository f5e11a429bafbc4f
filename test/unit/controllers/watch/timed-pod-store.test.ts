import { expect, it } from 'vitest';
import { MemoryPodStore } from '../../../../src/adapters/memory/pod-store.ts';
import { TimedPodStore } from '../../../../src/controllers/watch/timed-pod-store.ts';
import { describePodStore } from '../../../contract/stores/pod-store-contract.ts';
import { knownPodOf, MINUTE, NOW, wakeOf } from '../../../contract/stores/samples.ts';
import { FakeClock } from '../../../fakes/clock.ts';

const EMPTY = { attempts: [], restarts: {} };

const world = () => {
  const clock = new FakeClock(NOW);
  const woken: string[] = [];
  const store = new TimedPodStore(new MemoryPodStore(), {
    clock,
    onDue: (pods) => woken.push(...pods.map(({ pod, node }) => `${clock.now() - NOW} ${pod.uid} ${node}`)),
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
  expect(woken).toEqual(['1234 a1 fargate']);
  await clock.advance(10 * MINUTE);
  expect(woken).toHaveLength(1);
});

it('wakes a pod whose holder never let go of it', async () => {
  const { clock, woken, claim } = world();
  await claim('a1');
  await clock.advance(MINUTE);
  expect(woken).toEqual(['60000 a1 fargate']);
});

it('follows what is written in the middle of the work', async () => {
  const { clock, woken, store, claim } = world();
  await claim('a1');
  await store.save('a1', 'one', { state: EMPTY, nextCheckAt: NOW + 500 });
  await clock.advance(500);
  expect(woken).toEqual(['500 a1 fargate']);
});

it('tells of those that are due at one moment at once', async () => {
  const clock = new FakeClock(NOW);
  const due: (readonly string[])[] = [];
  const store = new TimedPodStore(new MemoryPodStore(), {
    clock,
    onDue: (pods) => void due.push(pods.map(({ pod }) => pod.uid)),
  });
  for (const uid of ['a1', 'b2', 'c3']) {
    await store.wake(wakeOf(uid));
    await store.claim(uid, { id: 'one', now: NOW, until: NOW + MINUTE });
    await store.release(uid, 'one', { state: EMPTY, nextCheckAt: NOW + (uid === 'c3' ? 2 : 1), renewUntil: NOW });
  }
  await clock.advance(5);
  expect(due).toEqual([['a1', 'b2'], ['c3']]);
});

it('wakes a pod that was put off to the moment, though its timer is over', async () => {
  const { clock, woken, store, claim } = world();
  await claim('a1');
  await store.release('a1', 'one', { state: EMPTY, nextCheckAt: NOW + 5, renewUntil: NOW });
  await clock.advance(5);
  expect(await store.postpone(knownPodOf('a1'), { from: NOW + 5, to: NOW + 20 })).toBe(true);
  expect(await store.postpone(knownPodOf('a1'), { from: NOW + 5, to: NOW + 99 })).toBe(false);
  await clock.advance(100);
  expect(woken).toEqual(['5 a1 fargate', '20 a1 fargate']);
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
  expect(woken).toEqual(['120000 a1 fargate']);
});

it('wakes nobody once stopped', async () => {
  const { clock, woken, store, claim } = world();
  await claim('a1');
  store.stop();
  await clock.advance(10 * MINUTE);
  expect(woken).toEqual([]);
});

describePodStore('with timers', () => world().store);
