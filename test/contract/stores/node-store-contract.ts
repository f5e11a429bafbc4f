import { beforeEach, describe, expect, it } from 'vitest';
import { ConflictError } from '../../../src/core/errors.ts';
import type { NodeStore } from '../../../src/ports/node-store.ts';

/** What every store of nodes' rows must do. */
export const describeNodeStore = (name: string, make: () => NodeStore | Promise<NodeStore>): void => {
  describe(`${name}: nodes`, () => {
    let store: NodeStore;
    beforeEach(async () => {
      store = await make();
    });

    it('knows nothing of a node nobody wrote', async () => {
      expect(await store.get('fargate')).toBeUndefined();
    });

    it('overwrites just the fields given', async () => {
      await store.put('fargate', { adoptedAt: 1, clusterId: 'c', refusals: { a1: 5 } });
      await store.put('fargate', { adoptedAt: 2, refusals: { b2: 6 }, reachableAt: 3 });
      expect(await store.get('fargate')).toEqual({ adoptedAt: 2, clusterId: 'c', refusals: { b2: 6 }, reachableAt: 3 });
    });

    it('removes what is given as undefined', async () => {
      await store.put('fargate', { clusterId: 'c', unreachableSince: 1, outOfCapacityUntil: 2 });
      await store.put('fargate', { unreachableSince: undefined, outOfCapacityUntil: undefined });
      expect(await store.get('fargate')).toEqual({ clusterId: 'c' });
    });

    it('keeps nodes apart', async () => {
      await store.put('fargate', { clusterId: 'c' });
      expect(await store.get('fargate-spot')).toBeUndefined();
    });
  });

  describe(`${name}: turns`, () => {
    let store: NodeStore;
    beforeEach(async () => {
      store = await make();
    });

    it('come one after the other', async () => {
      expect(await store.takeTurn('fargate', { now: 1_000, everyMs: 50 })).toBe(1_050);
      expect(await store.takeTurn('fargate', { now: 1_001, everyMs: 50 })).toBe(1_100);
      expect(await store.takeTurn('fargate', { now: 1_099, everyMs: 50 })).toBe(1_150);
    });

    it('begin anew once all have had theirs', async () => {
      await store.takeTurn('fargate', { now: 1_000, everyMs: 50 });
      expect(await store.takeTurn('fargate', { now: 1_050, everyMs: 50 })).toBe(1_100);
      expect(await store.takeTurn('fargate', { now: 9_000, everyMs: 50 })).toBe(9_050);
    });

    it('go to one of many at once', async () => {
      const turns = await Promise.all(
        Array.from({ length: 20 }, () => store.takeTurn('fargate', { now: 1_000, everyMs: 50 })),
      );
      expect(turns.sort((a, b) => a - b)).toEqual(Array.from({ length: 20 }, (_, index) => 1_050 + index * 50));
    });

    it('are kept apart by node, and leave the rest of the row alone', async () => {
      await store.put('fargate', { clusterId: 'c' });
      await store.takeTurn('fargate', { now: 1_000, everyMs: 50 });
      expect(await store.takeTurn('fargate-spot', { now: 1_000, everyMs: 50 })).toBe(1_050);
      expect(await store.get('fargate')).toEqual({ clusterId: 'c' });
    });
  });

  describe(`${name}: the beats' cursor`, () => {
    let store: NodeStore;
    beforeEach(async () => {
      store = await make();
    });

    it('moves from nowhere once', async () => {
      expect(await store.beatCursor()).toBeUndefined();
      await store.moveBeatCursor(undefined, 100);
      await expect(store.moveBeatCursor(undefined, 200)).rejects.toBeInstanceOf(ConflictError);
      expect(await store.beatCursor()).toBe(100);
    });

    it('moves only from where it stands', async () => {
      await store.moveBeatCursor(undefined, 100);
      await store.moveBeatCursor(100, 200);
      await expect(store.moveBeatCursor(100, 300)).rejects.toBeInstanceOf(ConflictError);
      expect(await store.beatCursor()).toBe(200);
    });

    it('lets one of many runs move it', async () => {
      const moves = await Promise.allSettled(Array.from({ length: 10 }, () => store.moveBeatCursor(undefined, 100)));
      expect(moves.filter(({ status }) => status === 'fulfilled')).toHaveLength(1);
    });
  });
};
