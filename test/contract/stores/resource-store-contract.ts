import { beforeEach, describe, expect, it } from 'vitest';
import { NotFoundError } from '../../../src/core/errors.ts';
import type { ResourceStore } from '../../../src/ports/resource-store.ts';
import { MINUTE, NOW } from './samples.ts';

const KEY = 'TASKDEF#0a1b';

/** What every store of shared resources must do. */
export const describeResourceStore = (name: string, make: () => ResourceStore | Promise<ResourceStore>): void => {
  describe(`${name}: shared resources`, () => {
    let store: ResourceStore;
    beforeEach(async () => {
      store = await make();
    });

    const claim = (id: string, now = NOW): Promise<boolean> => store.claim(KEY, { id, now, until: now + MINUTE });

    const unused = async (prefix: string, before: number): Promise<readonly string[]> => {
      const keys: string[] = [];
      for await (const { key } of store.unused(prefix, before)) keys.push(key);
      return keys.sort();
    };

    it('knows nothing of what nobody made', async () => {
      expect(await store.get(KEY)).toBeUndefined();
    });

    it('lets one of many make it', async () => {
      const claims = await Promise.all(Array.from({ length: 20 }, (_, n) => claim(`maker-${n}`)));
      expect(claims.filter(Boolean)).toHaveLength(1);
      expect(await store.get(KEY)).toEqual({ key: KEY, usedAt: NOW });
    });

    it('passes the right on when the maker has not come back', async () => {
      expect(await claim('one')).toBe(true);
      expect(await claim('one')).toBe(true);
      expect(await claim('two', NOW + MINUTE - 1)).toBe(false);
      expect(await claim('two', NOW + MINUTE)).toBe(true);
    });

    it('is made once', async () => {
      await claim('one');
      await store.ready(KEY, { value: 'arn:definition:1', usedAt: NOW + 1 });
      expect(await store.get(KEY)).toEqual({ key: KEY, value: 'arn:definition:1', usedAt: NOW + 1 });
      expect(await claim('two', NOW + 100 * MINUTE)).toBe(false);
    });

    it('can be made anew once it was dropped', async () => {
      await claim('one');
      await store.ready(KEY, { value: 'arn:definition:1', usedAt: NOW });
      await store.drop(KEY);
      expect(await store.get(KEY)).toBeUndefined();
      expect(await claim('two')).toBe(true);
      await store.drop('TASKDEF#never-there');
    });

    it('moves usedAt ahead, never back', async () => {
      await store.ready(KEY, { value: 'v', usedAt: NOW });
      await store.touch(KEY, NOW + 5);
      await store.touch(KEY, NOW + 3);
      expect(await store.get(KEY)).toEqual({ key: KEY, value: 'v', usedAt: NOW + 5 });
    });

    it('tells that there is nothing to touch, and makes nothing', async () => {
      await expect(store.touch(KEY, NOW)).rejects.toBeInstanceOf(NotFoundError);
      expect(await store.get(KEY)).toBeUndefined();
    });

    it('finds what was not used since, by prefix', async () => {
      for (const [key, usedAt] of [
        ['TASKDEF#1', NOW],
        ['TASKDEF#2', NOW + 1],
        ['SECRET#1', NOW],
      ] as const) {
        await store.ready(key, { value: 'v', usedAt });
      }
      expect(await unused('TASKDEF#', NOW + 1)).toEqual(['TASKDEF#1']);
      expect(await unused('TASKDEF#', NOW + 2)).toEqual(['TASKDEF#1', 'TASKDEF#2']);
      expect(await unused('SECRET#', NOW)).toEqual([]);
    });

    it('removes only what was not used since', async () => {
      await store.ready(KEY, { value: 'v', usedAt: NOW });
      expect(await store.remove(KEY, NOW)).toBe(false);
      expect(await store.get(KEY)).toBeDefined();
      expect(await store.remove(KEY, NOW + 1)).toBe(true);
      expect(await store.get(KEY)).toBeUndefined();
      expect(await store.remove(KEY, NOW + 1)).toBe(true);
    });
  });
};
