import { beforeEach, describe, expect, it } from 'vitest';
import type { PodStore } from '../../../src/ports/pod-store.ts';
import { claimed, knownPodOf, MINUTE, NOW, wakeOf } from './samples.ts';

const EMPTY = { attempts: [], restarts: {} };

/** The known-pods and timers indexes. */
export const describePodIndexes = (name: string, make: () => PodStore | Promise<PodStore>): void => {
  describe(`${name}: known pods`, () => {
    it('lists the pods of one node, whatever their uid begins with', async () => {
      const store = await make();
      const uids = '0123456789abcdefxyz'.split('').map((digit) => `${digit}-pod`);
      await Promise.all(uids.map((uid) => store.wake(wakeOf(uid))));
      await store.wake(wakeOf('elsewhere', { node: 'fargate-spot' }));
      const known = await store.knownPods('fargate');
      expect(known.map(({ pod }) => pod.uid).sort()).toEqual(uids);
      expect(await store.knownPods('fargate-spot')).toEqual([
        { pod: { namespace: 'default', name: 'pod-elsewhere', uid: 'elsewhere' }, node: 'fargate-spot' },
      ]);
    });

    it('tells the resourceVersion last reconciled', async () => {
      const store = await make();
      await claimed(store, 'a1');
      await store.release('a1', 'one', { state: EMPTY, resourceVersion: '42', renewUntil: NOW });
      expect(await store.knownPods('fargate')).toEqual([
        { pod: { namespace: 'default', name: 'pod-a1', uid: 'a1' }, node: 'fargate', resourceVersion: '42' },
      ]);
    });
  });

  describe(`${name}: timers`, () => {
    let store: PodStore;
    beforeEach(async () => {
      store = await make();
    });

    const due = async (uid: string, at: number): Promise<void> => {
      await claimed(store, uid);
      await store.release(uid, 'one', { state: EMPTY, nextCheckAt: at, renewUntil: NOW });
    };

    const take = (now: number, limit = 100): ReturnType<PodStore['takeDue']> =>
      store.takeDue({ now, until: now + MINUTE, limit });

    it('takes what is due, earliest first, and not what is not', async () => {
      await due('a1', NOW + 3);
      await due('b2', NOW + 1);
      await due('c3', NOW + 4);
      expect((await take(NOW + 3)).map(({ pod }) => pod.uid)).toEqual(['b2', 'a1']);
    });

    it('takes no more than it was asked for', async () => {
      await Promise.all([1, 2, 3, 4, 5].map((n) => due(`a${n}`, NOW + n)));
      expect((await take(NOW + MINUTE, 2)).map(({ pod }) => pod.uid)).toEqual(['a1', 'a2']);
    });

    it('moves what it takes ahead, so that it comes again only if nobody answers', async () => {
      await due('a1', NOW);
      expect(await take(NOW)).toHaveLength(1);
      expect(await take(NOW)).toEqual([]);
      expect((await store.get('a1'))?.nextCheckAt).toBe(NOW + MINUTE);
      expect(await take(NOW + MINUTE)).toHaveLength(1);
    });

    it('gives each pod to one of several callers', async () => {
      await Promise.all([1, 2, 3, 4, 5, 6].map((n) => due(`a${n}`, NOW)));
      const taken = await Promise.all([take(NOW), take(NOW), take(NOW)]);
      expect(
        taken
          .flat()
          .map(({ pod }) => pod.uid)
          .sort(),
      ).toEqual(['a1', 'a2', 'a3', 'a4', 'a5', 'a6']);
    });

    it('takes a claimed pod when the claim has ended without a release', async () => {
      await claimed(store, 'a1');
      expect(await take(NOW + MINUTE - 1)).toEqual([]);
      expect((await take(NOW + MINUTE)).map(({ pod }) => pod.uid)).toEqual(['a1']);
    });

    it('puts off a check, where it still stands as it was read', async () => {
      await due('a1', NOW);
      expect(await store.postpone(knownPodOf('a1'), { from: NOW, to: NOW + MINUTE })).toBe(true);
      expect((await store.get('a1'))?.nextCheckAt).toBe(NOW + MINUTE);
      expect(await store.postpone(knownPodOf('a1'), { from: NOW, to: NOW + 2 * MINUTE })).toBe(false);
      expect(await take(NOW)).toEqual([]);
      expect(await take(NOW + MINUTE)).toHaveLength(1);
    });

    it('puts off nothing that is claimed, or not there', async () => {
      await claimed(store, 'a1');
      expect(await store.postpone(knownPodOf('a1'), { from: NOW + MINUTE, to: NOW + 2 * MINUTE })).toBe(false);
      expect(await store.postpone(knownPodOf('b2'), { from: NOW, to: NOW + MINUTE })).toBe(false);
      expect(await store.get('b2')).toBeUndefined();
    });

    it('leaves alone what has nothing due', async () => {
      await claimed(store, 'a1');
      await store.release('a1', 'one', { state: EMPTY, renewUntil: NOW });
      await store.wake(wakeOf('b2'));
      expect(await take(NOW + 1000 * MINUTE)).toEqual([]);
    });
  });
};
