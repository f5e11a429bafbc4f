import { beforeEach, describe, expect, it } from 'vitest';
import type { PodStore } from '../../../src/ports/pod-store.ts';
import { claimed, MINUTE, NOW, wakeOf, workloadOf } from './samples.ts';

const REQUEST = { id: 'two', now: NOW, until: NOW + MINUTE };

/** What a store must do when a message is entered and the pod claimed in one write. */
export const describeTaking = (name: string, make: () => PodStore | Promise<PodStore>): void => {
  describe(`${name}: a message and a claim in one write`, () => {
    let store: PodStore;
    beforeEach(async () => {
      store = await make();
    });

    it('makes the row of a pod that was seen, and holds it', async () => {
      expect(await store.wakeAndClaim(wakeOf('a1', { reason: 'bind' }), REQUEST)).toEqual({
        pod: { namespace: 'default', name: 'pod-a1', uid: 'a1' },
        node: 'fargate',
        wanted: 1,
        seen: 1,
        claim: { id: 'two', until: NOW + MINUTE },
        nextCheckAt: NOW + MINUTE,
        observations: {},
        state: { attempts: [], restarts: {} },
      });
      expect(await store.claim('a1', { ...REQUEST, id: 'three' })).toBeUndefined();
    });

    it('wakes and holds a pod that nobody holds', async () => {
      await store.wake(wakeOf('a1'));
      expect(await store.wakeAndClaim(wakeOf('a1', { reason: 'timer' }), REQUEST)).toMatchObject({
        wanted: 2,
        seen: 2,
        claim: { id: 'two', until: NOW + MINUTE },
      });
    });

    it('writes nothing about a pod that another holds, even past the claim’s end', async () => {
      const before = await claimed(store, 'a1');
      const late = { ...REQUEST, now: NOW + 2 * MINUTE, until: NOW + 3 * MINUTE };
      expect(await store.wakeAndClaim(wakeOf('a1'), late)).toBeUndefined();
      expect(await store.observeAndClaim(workloadOf('a1'), late)).toBeUndefined();
      expect(await store.get('a1')).toEqual(before);
    });

    it('makes no row for a wake that did not see the pod, nor for an observation', async () => {
      expect(await store.wakeAndClaim(wakeOf('a1', { reason: 'timer' }), REQUEST)).toBeUndefined();
      expect(await store.observeAndClaim(workloadOf('a1'), REQUEST)).toBeUndefined();
      expect(await store.get('a1')).toBeUndefined();
    });

    it('keeps a new observation and holds its pod', async () => {
      await store.wake(wakeOf('a1'));
      const workload = workloadOf('a1', { version: 2 });
      expect(await store.observeAndClaim(workload, REQUEST)).toMatchObject({
        wanted: 2,
        seen: 2,
        claim: { id: 'two', until: NOW + MINUTE },
        observations: { [workload.id]: workload },
      });
    });

    it.each([
      { what: 'says nothing new', version: 3 },
      { what: 'is older', version: 1 },
    ])('leaves an observation that $what to the other way', async ({ version }) => {
      await store.wake(wakeOf('a1'));
      await store.observe(workloadOf('a1', { version: 2 }));
      const before = await store.get('a1');
      expect(await store.observeAndClaim(workloadOf('a1', { version }), REQUEST)).toBeUndefined();
      expect(await store.get('a1')).toEqual(before);
    });

    it('lets one of many win', async () => {
      const taken = await Promise.all(
        Array.from({ length: 30 }, (_, index) => store.wakeAndClaim(wakeOf('a1'), { ...REQUEST, id: `c${index}` })),
      );
      expect(taken.filter((row) => row !== undefined)).toHaveLength(1);
      expect((await store.get('a1'))?.wanted).toBe(1);
    });
  });
};
