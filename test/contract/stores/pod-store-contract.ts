import { beforeEach, describe, expect, it } from 'vitest';
import { ConflictError } from '../../../src/core/errors.ts';
import type { PodStore } from '../../../src/ports/pod-store.ts';
import { describeObservations } from './observation-contract.ts';
import { describePodIndexes } from './pod-index-contract.ts';
import { claimed, MINUTE, NOW, wakeOf } from './samples.ts';
import { describeTaking } from './taking-contract.ts';

/** What every store of pods' rows must do. */
export const describePodStore = (name: string, make: () => PodStore | Promise<PodStore>): void => {
  describe(`${name}: wakes`, () => {
    const store = freshStore(make);

    it('makes the row of a pod that was seen', async () => {
      expect(await store().wake(wakeOf('a1', { reason: 'bind' }))).toBe('wanted');
      expect(await store().get('a1')).toEqual({
        pod: { namespace: 'default', name: 'pod-a1', uid: 'a1' },
        node: 'fargate',
        wanted: 1,
        seen: 0,
        observations: {},
        state: { attempts: [], restarts: {} },
      });
    });

    it.each(['bind', 'create', 'resync', 'watch'] as const)('lets a %s make a row', async (reason) => {
      expect(await store().wake(wakeOf('a1', { reason }))).toBe('wanted');
    });

    it.each(['delete', 'timer', 'requeue'] as const)('lets a %s make no row', async (reason) => {
      expect(await store().wake(wakeOf('a1', { reason }))).toBe('unknown');
      expect(await store().get('a1')).toBeUndefined();
    });

    it('makes no row of a pod whose node the sender does not know', async () => {
      const { node: _node, ...wake } = wakeOf('a1', { reason: 'bind' });
      expect(await store().wake(wake)).toBe('unknown');
    });

    it('counts every wake and keeps what the row holds', async () => {
      await claimed(store(), 'a1');
      await store().save('a1', 'one', { state: { attempts: [], restarts: { app: 2 } } });
      for (const reason of ['bind', 'delete', 'timer'] as const) {
        expect(await store().wake(wakeOf('a1', { reason }))).toBe('wanted');
      }
      expect(await store().get('a1')).toMatchObject({ wanted: 4, seen: 1, state: { restarts: { app: 2 } } });
    });

    it('counts wakes that come at once', async () => {
      await Promise.all(Array.from({ length: 30 }, () => store().wake(wakeOf('a1'))));
      expect((await store().get('a1'))?.wanted).toBe(30);
    });

    it('tells two pods of one name apart', async () => {
      await store().wake(wakeOf('a1', { name: 'web' }));
      await store().wake(wakeOf('b2', { name: 'web' }));
      expect((await store().get('a1'))?.wanted).toBe(1);
      expect((await store().get('b2'))?.wanted).toBe(1);
    });
  });

  describe(`${name}: claims`, () => {
    const store = freshStore(make);

    it('answers the row as claimed', async () => {
      await store().wake(wakeOf('a1'));
      await store().wake(wakeOf('a1'));
      expect(await store().claim('a1', { id: 'one', now: NOW, until: NOW + MINUTE })).toEqual({
        pod: { namespace: 'default', name: 'pod-a1', uid: 'a1' },
        node: 'fargate',
        wanted: 2,
        seen: 2,
        claim: { id: 'one', until: NOW + MINUTE },
        nextCheckAt: NOW + MINUTE,
        observations: {},
        state: { attempts: [], restarts: {} },
      });
      expect(await store().get('a1')).toMatchObject({ seen: 2, claim: { id: 'one', until: NOW + MINUTE } });
    });

    it('gives no claim without a row', async () => {
      expect(await store().claim('a1', { id: 'one', now: NOW, until: NOW + MINUTE })).toBeUndefined();
      expect(await store().get('a1')).toBeUndefined();
    });

    it('C-06 gives one of fifty claims that come at once', async () => {
      await store().wake(wakeOf('a1'));
      const rows = await Promise.all(
        Array.from({ length: 50 }, (_, n) => store().claim('a1', { id: `claim-${n}`, now: NOW, until: NOW + MINUTE })),
      );
      const won = rows.filter((row) => row !== undefined);
      expect(won).toHaveLength(1);
      expect((await store().get('a1'))?.claim).toEqual(won[0]?.claim);
    });

    it('refuses a held claim until it ends, then tells when it did', async () => {
      await claimed(store(), 'a1');
      const late = { id: 'two', until: NOW + 2 * MINUTE };
      expect(await store().claim('a1', { ...late, now: NOW + MINUTE - 1 })).toBeUndefined();
      expect(await store().claim('a1', { ...late, now: NOW + MINUTE })).toMatchObject({
        claim: { id: 'two', until: NOW + 2 * MINUTE },
        abandonedClaimUntil: NOW + MINUTE,
      });
    });

    it('does not call a released claim abandoned', async () => {
      await claimed(store(), 'a1');
      await store().release('a1', 'one', { state: EMPTY, renewUntil: NOW + MINUTE });
      const row = await store().claim('a1', { id: 'two', now: NOW + 2 * MINUTE, until: NOW + 3 * MINUTE });
      expect(row?.claim?.id).toBe('two');
      expect(row).not.toHaveProperty('abandonedClaimUntil');
    });

    it('takes the same claim twice as one: the first answer may have been lost', async () => {
      await claimed(store(), 'a1');
      const again = await store().claim('a1', { id: 'one', now: NOW + 1, until: NOW + MINUTE });
      expect(again?.claim).toEqual({ id: 'one', until: NOW + MINUTE });
      expect(again).not.toHaveProperty('abandonedClaimUntil');
    });
  });

  describe(`${name}: saving`, () => {
    const store = freshStore(make);

    it('writes the fields given and leaves the others', async () => {
      await claimed(store(), 'a1');
      await store().save('a1', 'one', { state: EMPTY, resourceVersion: '7', claimUntil: NOW + 2 * MINUTE });
      await store().save('a1', 'one', { state: { attempts: [{ attempt: 1, try: 1 }], restarts: {} } });
      expect(await store().get('a1')).toMatchObject({
        resourceVersion: '7',
        claim: { id: 'one', until: NOW + 2 * MINUTE },
        nextCheckAt: NOW + MINUTE,
        state: { attempts: [{ attempt: 1, try: 1 }], restarts: {} },
      });
    });

    it('keeps a whole intent', async () => {
      const row = await claimed(store(), 'a1');
      const launch = {
        request: { body: '{"overrides":{}}', validUntil: 5 },
        firstSentAt: 3,
        lastSentAt: 4,
        unknown: true,
      };
      const state = { ...row.state, attempts: [{ attempt: 3, try: 2, launch, launchedAt: 9 }] };
      await store().save('a1', 'one', { state });
      expect((await store().get('a1'))?.state).toEqual({
        attempts: [
          {
            attempt: 3,
            try: 2,
            launch: {
              request: { body: '{"overrides":{}}', validUntil: 5 },
              firstSentAt: 3,
              lastSentAt: 4,
              unknown: true,
            },
            launchedAt: 9,
          },
        ],
        restarts: {},
      });
    });

    it('is not hindered by a wake, and leaves it to be seen', async () => {
      await claimed(store(), 'a1');
      await store().wake(wakeOf('a1'));
      await store().save('a1', 'one', { state: EMPTY, nextCheckAt: NOW + 5 });
      expect(await store().get('a1')).toMatchObject({ wanted: 2, seen: 1, nextCheckAt: NOW + 5 });
    });

    it.each([
      [
        'after another took over',
        async (s: PodStore) => void (await s.claim('a1', { id: 'two', now: NOW + MINUTE, until: NOW + 2 * MINUTE })),
      ],
      [
        'after the release',
        async (s: PodStore) => void (await s.release('a1', 'one', { state: EMPTY, renewUntil: NOW })),
      ],
      ['after the row went', async (s: PodStore) => void (await s.forget('a1', 'one', { renewUntil: NOW }))],
    ])('is refused %s', async (_when, happens) => {
      await claimed(store(), 'a1');
      await happens(store());
      const before = await store().get('a1');
      const state = { attempts: [], restarts: { app: 9 } };
      await expect(store().save('a1', 'one', { state })).rejects.toBeInstanceOf(ConflictError);
      await expect(store().release('a1', 'one', { state, renewUntil: NOW })).rejects.toBeInstanceOf(ConflictError);
      await expect(store().forget('a1', 'one', { renewUntil: NOW })).rejects.toBeInstanceOf(ConflictError);
      expect(await store().get('a1')).toEqual(before);
    });
  });

  describe(`${name}: releasing`, () => {
    const store = freshStore(make);

    it('clears the claim and what is not due any more', async () => {
      await claimed(store(), 'a1');
      expect(
        await store().release('a1', 'one', { state: EMPTY, resourceVersion: '8', renewUntil: NOW + 2 * MINUTE }),
      ).toBeUndefined();
      expect(await store().get('a1')).toEqual({
        pod: { namespace: 'default', name: 'pod-a1', uid: 'a1' },
        node: 'fargate',
        wanted: 1,
        seen: 1,
        resourceVersion: '8',
        observations: {},
        state: { attempts: [], restarts: {} },
      });
    });

    it('notes when to look again', async () => {
      await claimed(store(), 'a1');
      await store().release('a1', 'one', { state: EMPTY, nextCheckAt: NOW + 5, renewUntil: NOW + 2 * MINUTE });
      expect((await store().get('a1'))?.nextCheckAt).toBe(NOW + 5);
    });

    it('keeps claim and state where the pod was woken meanwhile, and succeeds the next time', async () => {
      await claimed(store(), 'a1');
      await store().wake(wakeOf('a1', { reason: 'delete' }));
      const state = { attempts: [], restarts: { app: 1 } };
      const write = { state, resourceVersion: '8', nextCheckAt: NOW + 5, renewUntil: NOW + 2 * MINUTE };
      const row = await store().release('a1', 'one', write);
      expect(row).toEqual({
        pod: { namespace: 'default', name: 'pod-a1', uid: 'a1' },
        node: 'fargate',
        wanted: 2,
        seen: 2,
        claim: { id: 'one', until: NOW + 2 * MINUTE },
        nextCheckAt: NOW + 2 * MINUTE,
        resourceVersion: '8',
        observations: {},
        state: { attempts: [], restarts: { app: 1 } },
      });
      expect(await store().get('a1')).toEqual(row);
      expect(await store().release('a1', 'one', write)).toBeUndefined();
      expect(await store().get('a1')).not.toHaveProperty('claim');
    });

    it('C-06 loses no wake that races with it', async () => {
      await claimed(store(), 'a1');
      const [answer] = await Promise.all([
        store().release('a1', 'one', { state: EMPTY, renewUntil: NOW + 2 * MINUTE }),
        store().wake(wakeOf('a1')),
      ]);
      const row = await store().get('a1');
      expect(row?.wanted).toBe(2);
      // Either the holder learns of it, or it stands on a free row.
      expect([row?.seen, row?.claim?.id]).toEqual(answer ? [2, 'one'] : [1, undefined]);
    });
  });

  describe(`${name}: forgetting`, () => {
    const store = freshStore(make);

    it('removes the row; only somebody who sees the pod makes it again', async () => {
      await claimed(store(), 'a1');
      expect(await store().forget('a1', 'one', { renewUntil: NOW })).toBeUndefined();
      expect(await store().get('a1')).toBeUndefined();
      expect(await store().wake(wakeOf('a1', { reason: 'timer' }))).toBe('unknown');
      expect(await store().knownPods('fargate')).toEqual([]);
    });

    it('keeps a row that was woken meanwhile', async () => {
      await claimed(store(), 'a1');
      await store().wake(wakeOf('a1'));
      expect(await store().forget('a1', 'one', { renewUntil: NOW + 2 * MINUTE })).toMatchObject({
        wanted: 2,
        seen: 2,
        claim: { id: 'one', until: NOW + 2 * MINUTE },
      });
      expect(await store().forget('a1', 'one', { renewUntil: NOW })).toBeUndefined();
    });
  });

  describeTaking(name, make);
  describeObservations(name, make);
  describePodIndexes(name, make);
};

const EMPTY = { attempts: [], restarts: {} };

const freshStore = (make: () => PodStore | Promise<PodStore>): (() => PodStore) => {
  let store: PodStore;
  beforeEach(async () => {
    store = await make();
  });
  return () => store;
};
