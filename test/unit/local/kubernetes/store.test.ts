import { describe, expect, it } from 'vitest';
import { Store } from '../../../../infra/local/kubernetes/store/store.ts';

const object = (name: string, more: object = {}) => ({
  apiVersion: 'v1',
  kind: 'Thing',
  metadata: { name, namespace: 'ns' },
  ...more,
});
const THINGS = { group: '', resource: 'things' };

describe('the store', () => {
  it('counts one revision up for every write, of whatever resource', () => {
    const store = new Store();
    const one = store.create('things', object('one'));
    store.create('others', object('two'));
    const changed = store.update(THINGS, one, { ...one, a: 1 });
    expect([one.metadata.resourceVersion, changed.metadata.resourceVersion, store.revision]).toEqual(['1', '3', 3]);
  });

  it('refuses a write over a state that is no longer there', () => {
    const store = new Store();
    const one = store.create('things', object('one'));
    store.update(THINGS, one, { ...one, a: 1 });
    expect(() => store.update(THINGS, one, { ...one, a: 2 })).toThrow('the object has been modified');
    store.remove('things', one);
    expect(() => store.update(THINGS, one, one)).toThrow('the object has been modified');
  });

  it('lists in the order of namespace and name', () => {
    const store = new Store();
    for (const name of ['b', 'a', 'c']) store.create('things', object(name));
    expect(store.list('things', 'ns').map(({ metadata }) => metadata.name)).toEqual(['a', 'b', 'c']);
    expect(store.list('things', 'n')).toEqual([]);
  });

  it('remembers changes up to its limit', () => {
    const store = new Store(2);
    const one = store.create('things', object('one'));
    const two = store.update(THINGS, one, { ...one, a: 2 });
    store.remove('things', two);
    expect(store.since('things', 0)).toBe('expired');
    expect(store.since('things', 1)).toMatchObject([
      { type: 'MODIFIED', revision: 2, object: { a: 2 }, previous: { metadata: { resourceVersion: '1' } } },
      { type: 'DELETED', revision: 3 },
    ]);
    expect(store.since('things', 3)).toEqual([]);
    expect(store.since('others', 0)).toEqual([]);
  });

  it('tells listeners until they leave', () => {
    const store = new Store();
    const heard: string[] = [];
    const leave = store.listen('things', ({ type }) => void heard.push(type));
    const one = store.create('things', object('one'));
    leave();
    store.remove('things', one);
    expect(heard).toEqual(['ADDED']);
  });
});
