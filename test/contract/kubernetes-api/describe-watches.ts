import { describe, expect, it } from 'vitest';
import { type ApiWorld, aConfigMap } from './api-world.ts';
import type { RawWatch } from './raw-api.ts';

const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

/** `[type, name]` of the next events. */
const take = async (watch: RawWatch, count: number): Promise<readonly unknown[]> => {
  const seen: unknown[] = [];
  while (seen.length < count) {
    const event = await watch.next();
    if (event?.type !== 'BOOKMARK') seen.push(event && [event.type, event.object.metadata?.name]);
  }
  return seen;
};

/** Watches: where they begin, what they show, how they end. */
export const describeWatches = (world: () => ApiWorld): void => {
  const versionNow = async (): Promise<string> => {
    const { api, base } = world();
    const { metadata } = (await api.get(`${base}/configmaps`)).body as { metadata: { resourceVersion: string } };
    return metadata.resourceVersion;
  };

  describe('watch', () => {
    it('shows what happened after a list', async () => {
      const { api, base } = world();
      const version = await versionNow();
      await api.post(`${base}/configmaps`, aConfigMap('seen', { a: '1' }));
      await api.patch(`${base}/configmaps/seen`, 'merge', { data: { a: '2' } });
      const watch = await api.watch(`${base}/configmaps?watch=1&resourceVersion=${version}`);
      await api.delete(`${base}/configmaps/seen`);
      expect(await take(watch, 3)).toEqual([
        ['ADDED', 'seen'],
        ['MODIFIED', 'seen'],
        ['DELETED', 'seen'],
      ]);
      watch.close();
    });

    it('shows an object that enters and leaves the selection', async () => {
      const { api, base } = world();
      const version = await versionNow();
      const watch = await api.watch(`${base}/configmaps?watch=1&resourceVersion=${version}&labelSelector=in%3Dyes`);
      await api.post(`${base}/configmaps`, aConfigMap('moving'));
      await api.patch(`${base}/configmaps/moving`, 'merge', { metadata: { labels: { in: 'yes' } } });
      await api.patch(`${base}/configmaps/moving`, 'merge', { data: { a: '1' } });
      await api.patch(`${base}/configmaps/moving`, 'merge', { metadata: { labels: { in: 'no' } } });
      expect(await take(watch, 3)).toEqual([
        ['ADDED', 'moving'],
        ['MODIFIED', 'moving'],
        ['DELETED', 'moving'],
      ]);
      watch.close();
    });

    it('begins with the present where no version is named', async () => {
      const { api, base } = world();
      await api.post(`${base}/configmaps`, aConfigMap('present', {}, { labels: { present: '' } }));
      const watch = await api.watch(`${base}/configmaps?watch=1&labelSelector=present`);
      expect(await take(watch, 1)).toEqual([['ADDED', 'present']]);
      watch.close();
    });

    it('marks the end of the initial events', async () => {
      const { api, base } = world();
      await api.post(`${base}/configmaps`, aConfigMap('initial', {}, { labels: { initial: '' } }));
      const query = 'watch=1&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
      const watch = await api.watch(`${base}/configmaps?${query}&labelSelector=initial`);
      expect(await watch.next()).toMatchObject({ type: 'ADDED', object: { metadata: { name: 'initial' } } });
      expect(await watch.next()).toMatchObject({
        type: 'BOOKMARK',
        object: {
          kind: 'ConfigMap',
          apiVersion: 'v1',
          metadata: {
            resourceVersion: expect.stringMatching(/^\d+$/),
            annotations: { 'k8s.io/initial-events-end': 'true' },
          },
        },
      });
      watch.close();
    });

    it('refuses initial events without a match', async () => {
      const { api, base } = world();
      expect((await api.get(`${base}/configmaps?watch=1&sendInitialEvents=true`)).body).toMatchObject({
        code: 422,
        message:
          'ListOptions.meta.k8s.io "" is invalid: resourceVersionMatch: Forbidden: sendInitialEvents requires setting resourceVersionMatch to NotOlderThan',
      });
    });

    it('shows tables, columns first only', async () => {
      const { api, base } = world();
      const version = await versionNow();
      const watch = await api.watch(`${base}/configmaps?watch=1&resourceVersion=${version}`, { accept: TABLE });
      await api.post(`${base}/configmaps`, aConfigMap('row'));
      await api.delete(`${base}/configmaps/row`);
      expect(await watch.next()).toMatchObject({
        type: 'ADDED',
        object: {
          kind: 'Table',
          columnDefinitions: [{ name: 'Name' }, {}, {}],
          rows: [{ cells: ['row', 0, expect.any(String)] }],
        },
      });
      expect(await watch.next()).toMatchObject({
        type: 'DELETED',
        object: { kind: 'Table', columnDefinitions: null, rows: [{ cells: ['row', 0, expect.any(String)] }] },
      });
      watch.close();
    });

    it('ends when its time is over', async () => {
      const { api, base } = world();
      const watch = await api.watch(
        `${base}/configmaps?watch=1&resourceVersion=${await versionNow()}&timeoutSeconds=1`,
      );
      expect(await watch.next()).toBeUndefined();
    });
  });
};
