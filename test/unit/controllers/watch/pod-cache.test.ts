import { describe, expect, it } from 'vitest';
import { PodCache } from '../../../../src/controllers/watch/pod-cache.ts';
import type { Pod } from '../../../../src/model/kubernetes.ts';
import { FakeClock } from '../../../fakes/clock.ts';

const pod = (name: string, uid: string, resourceVersion: string, finalizers: string[] = []): Pod => ({
  metadata: { namespace: 'default', name, uid, resourceVersion, finalizers },
});
const names = (pods: readonly Pod[]): readonly (string | undefined)[] => pods.map(({ metadata }) => metadata?.name);
const versionOf = (cache: PodCache, name: string): string | undefined =>
  cache.get('default', name)?.metadata?.resourceVersion;

const world = (...pods: readonly Pod[]) => {
  const clock = new FakeClock(0);
  const cache = new PodCache(clock);
  cache.replace(pods);
  return { clock, cache };
};

describe('a list', () => {
  it('tells what is new and what has gone', () => {
    const { cache } = world(pod('same', 'u1', '1'), pod('moved', 'u2', '2'), pod('gone', 'u3', '3'));
    const { changed, gone } = cache.replace([pod('same', 'u1', '1'), pod('moved', 'u2', '5'), pod('new', 'u4', '6')]);
    expect([names(changed), names(gone)]).toEqual([['moved', 'new'], ['gone']]);
    expect(names(cache.list())).toEqual(['same', 'moved', 'new']);
  });

  it('takes another pod of the same name for both', () => {
    const { cache } = world(pod('web', 'u1', '1'));
    const { changed, gone } = cache.replace([pod('web', 'u2', '9')]);
    expect([names(changed), names(gone)]).toEqual([['web'], ['web']]);
  });
});

describe('a change', () => {
  it.each([
    ['a newer version', '10', true, '10'],
    ['the same version', '9', false, '9'],
    ['an older version, by number and not by letters', '8', false, '9'],
    ['a version that is no number', 'x', true, 'x'],
  ])('by %s', (_, version, isNews, held) => {
    const { cache } = world(pod('web', 'u1', '9'));
    expect(cache.put(pod('web', 'u1', version))).toBe(isNews);
    expect(versionOf(cache, 'web')).toBe(held);
  });

  it('of a pod that has gone is none', () => {
    const { cache } = world(pod('web', 'u1', '1'));
    cache.remove(pod('web', 'u1', '2'));
    expect(cache.put(pod('web', 'u1', '3'))).toBe(false);
    expect(cache.list()).toEqual([]);
  });
});

it('keeps no record of who set which field', () => {
  const fields = [{ manager: 'kubectl', operation: 'Update' }];
  const withFields = (version: string): Pod => {
    const { metadata } = pod('web', 'u1', version);
    return { metadata: { ...metadata, managedFields: fields } };
  };
  const { cache } = world(withFields('1'));
  expect(cache.list()).toEqual([pod('web', 'u1', '1')]);
  cache.answered(withFields('2'));
  expect(cache.list()).toEqual([pod('web', 'u1', '2')]);
});

describe('an answer of the server', () => {
  it('counts as a change that is known already', () => {
    const { cache } = world(pod('web', 'u1', '1'));
    cache.answered(pod('web', 'u1', '2'));
    expect(versionOf(cache, 'web')).toBe('2');
    expect(cache.put(pod('web', 'u1', '2'))).toBe(false);
  });

  it('adds no pod, and does not bring one back', () => {
    const { cache } = world(pod('web', 'u1', '1'));
    cache.answered(pod('other', 'u2', '2'));
    cache.answered(pod('web', 'u2', '3'));
    cache.remove(pod('web', 'u1', '4'));
    cache.answered(pod('web', 'u1', '4'));
    expect(cache.list()).toEqual([]);
  });

  it('does not go back in time', () => {
    const { cache } = world(pod('web', 'u1', '5'));
    cache.answered(pod('web', 'u1', '4'));
    expect(versionOf(cache, 'web')).toBe('5');
  });
});

describe('doubt', () => {
  it('sends reads to the server until it has answered', () => {
    const { clock, cache } = world(pod('web', 'u1', '1'));
    cache.doubt('default', 'web');
    expect(versionOf(cache, 'web')).toBeUndefined();
    cache.put(pod('web', 'u1', '2'));
    expect(versionOf(cache, 'web')).toBeUndefined();
    cache.answered(pod('web', 'u1', '2'));
    expect(versionOf(cache, 'web')).toBe('2');
    expect(clock.now()).toBe(0);
  });

  it('lasts two minutes for a name that has changed hands: the pod before may still be asked for', async () => {
    const { clock, cache } = world(pod('web', 'u1', '1'));
    cache.put(pod('web', 'u2', '5'));
    expect(versionOf(cache, 'web')).toBeUndefined();
    await clock.advance(120_000);
    expect(versionOf(cache, 'web')).toBe('5');
  });
});

describe('deletions', () => {
  it('are certain once the watch has shown them, and forgotten after ten minutes', async () => {
    const { clock, cache } = world(pod('web', 'u1', '1'), pod('api', 'u2', '1'));
    cache.remove(pod('web', 'u1', '2'));
    expect([cache.isDeleted('u1'), cache.isDeleted('u2')]).toEqual([true, false]);
    await clock.advance(600_000);
    cache.remove(pod('api', 'u2', '3'));
    expect([cache.isDeleted('u1'), cache.isDeleted('u2')]).toEqual([false, true]);
  });

  it('are certain where the server has taken ours', () => {
    const { cache } = world(pod('web', 'u1', '1'));
    cache.left({ namespace: 'default', name: 'web', uid: 'u1' });
    expect([cache.isDeleted('u1'), cache.list()]).toEqual([true, []]);
  });

  it('of ours are not where finalizers hold the pod, or another has its name', () => {
    const { cache } = world(pod('held', 'u1', '1', ['x/y']), pod('web', 'u3', '1'));
    cache.left({ namespace: 'default', name: 'held', uid: 'u1' });
    cache.left({ namespace: 'default', name: 'web', uid: 'u2' });
    expect([cache.isDeleted('u1'), cache.isDeleted('u2'), cache.list().length]).toEqual([false, false, 2]);
  });

  it('leave another pod of the same name alone', () => {
    const { cache } = world(pod('web', 'u2', '5'));
    cache.remove(pod('web', 'u1', '4'));
    expect(cache.list()).toHaveLength(1);
  });

  it('are taken back by a list that shows the pod', () => {
    const { cache } = world(pod('web', 'u1', '1'));
    cache.left({ namespace: 'default', name: 'web', uid: 'u1' });
    cache.replace([pod('web', 'u1', '3', ['late/finalizer'])]);
    expect(cache.isDeleted('u1')).toBe(false);
    expect(versionOf(cache, 'web')).toBe('3');
  });
});
