import { describe, expect, it } from 'vitest';
import { type ApiWorld, aConfigMap, aPod } from './api-world.ts';

/** The four kinds of patches. */
export const describePatches = (world: () => ApiWorld): void => {
  describe('patch', () => {
    it('merges JSON, null removing fields', async () => {
      const { api, base } = world();
      await api.post(`${base}/configmaps`, aConfigMap('merged', { a: '1', b: '2' }));
      const answer = await api.patch(`${base}/configmaps/merged`, 'merge', { data: { a: null, c: '3' } });
      expect(answer.body).toMatchObject({ data: { b: '2', c: '3' } });
      expect(answer.text).not.toContain('"a"');
    });

    it('follows JSON patches, and says 422 where one does not apply', async () => {
      const { api, base } = world();
      await api.post(`${base}/configmaps`, aConfigMap('operated', { a: '1' }));
      const path = `${base}/configmaps/operated`;
      const good = [
        { op: 'test', path: '/data/a', value: '1' },
        { op: 'add', path: '/data/z', value: '9' },
        { op: 'remove', path: '/data/a' },
      ];
      expect((await api.patch(path, 'json', good)).body).toMatchObject({ data: { z: '9' } });
      expect((await api.patch(path, 'json', [{ op: 'test', path: '/data/z', value: 'other' }])).code).toBe(422);
      expect((await api.patch(path, 'json', [{ op: 'remove', path: '/data/nothing' }])).code).toBe(422);
      expect((await api.patch(path, 'json', { op: 'add' })).body).toMatchObject({ code: 400, reason: 'BadRequest' });
    });

    it('merges lists of a pod by their keys', async () => {
      const { api, base } = world();
      await api.post(
        `${base}/pods`,
        aPod('strategic', {
          containers: [
            { name: 'a', image: 'x' },
            { name: 'b', image: 'y' },
          ],
        }),
      );
      const patch = { spec: { containers: [{ name: 'b', image: 'z' }] }, metadata: { labels: { l: '1' } } };
      const answer = await api.patch(`${base}/pods/strategic`, 'strategic', patch);
      expect(answer.body).toMatchObject({
        metadata: { labels: { l: '1' }, generation: 2 },
        spec: {
          containers: [
            { name: 'a', image: 'x' },
            { name: 'b', image: 'z' },
          ],
        },
      });
    });

    it('merges conditions by type and keeps the order it is told', async () => {
      const { api, base } = world();
      await api.post(`${base}/pods`, aPod('conditions'));
      const path = `${base}/pods/conditions/status`;
      const of = (type: string, status: string): object => ({ type, status });
      await api.patch(path, 'strategic', { status: { conditions: [of('Ready', 'False'), of('Initialized', 'True')] } });
      const patch = {
        status: {
          '$setElementOrder/conditions': [{ type: 'Initialized' }, { type: 'Ready' }, { type: 'ContainersReady' }],
          conditions: [of('Ready', 'True'), of('ContainersReady', 'True')],
        },
      };
      const answer = await api.patch(path, 'strategic', patch);
      expect(answer.body).toMatchObject({
        status: { conditions: [of('Initialized', 'True'), of('Ready', 'True'), of('ContainersReady', 'True')] },
      });
      const disordered = { status: { ...patch.status, conditions: [...patch.status.conditions].reverse() } };
      expect((await api.patch(path, 'strategic', disordered)).body).toMatchObject({
        code: 500,
        message: expect.stringContaining("doesn't match $setElementOrder list"),
      });
      const removal = { status: { conditions: [{ type: 'Ready', $patch: 'delete' }] } };
      expect((await api.patch(path, 'strategic', removal)).body).toMatchObject({
        status: { conditions: [of('Initialized', 'True'), of('ContainersReady', 'True')] },
      });
    });

    it('replaces what a directive says', async () => {
      const { api, base } = world();
      await api.post(`${base}/configmaps`, aConfigMap('directed', { a: '1' }, { finalizers: ['a.b/c', 'a.b/d'] }));
      const path = `${base}/configmaps/directed`;
      const replaced = await api.patch(path, 'strategic', { data: { $patch: 'replace', z: '1' } });
      expect(replaced.body).toMatchObject({ data: { z: '1' } });
      expect(replaced.text).not.toContain('"a":');
      const shorter = { metadata: { '$deleteFromPrimitiveList/finalizers': ['a.b/c'] } };
      expect((await api.patch(path, 'strategic', shorter)).body).toMatchObject({ metadata: { finalizers: ['a.b/d'] } });
    });

    it('applies: makes, merges, and takes away what is no longer mentioned', async () => {
      const { api, base } = world();
      const path = `${base}/configmaps/applied?fieldManager=me`;
      const first = await api.patch(path, 'apply', aConfigMap('applied', { a: '1', b: '2' }));
      expect(first.code).toBe(201);
      await api.patch(`${base}/configmaps/applied`, 'merge', { data: { other: 'x' } });
      const second = await api.patch(path, 'apply', aConfigMap('applied', { a: '1' }));
      expect(second.code).toBe(200);
      expect(second.body).toMatchObject({ data: { a: '1', other: 'x' } });
      expect(second.text).not.toContain('"b":"2"');
      expect((await api.patch(`${base}/configmaps/applied`, 'apply', aConfigMap('applied'))).body).toMatchObject({
        code: 422,
        message: 'PatchOptions.meta.k8s.io "" is invalid: fieldManager: Required value: is required for apply patch',
      });
    });

    it.each([
      { what: 'another name', patch: { metadata: { name: 'q' } }, code: 400 },
      { what: 'another UID', patch: { metadata: { uid: 'q' } }, code: 422 },
      { what: 'an old resourceVersion', patch: { metadata: { resourceVersion: '1' } }, code: 409 },
      { what: 'a value of another type', patch: { data: { a: 5 } }, code: 422 },
    ])('refuses $what', async ({ patch, code }) => {
      const { api, base } = world();
      await api.post(`${base}/configmaps`, aConfigMap('guarded'));
      expect((await api.patch(`${base}/configmaps/guarded`, 'merge', patch)).body).toMatchObject({ code });
    });

    it('refuses another media type', async () => {
      const { api, base } = world();
      await api.post(`${base}/configmaps`, aConfigMap('typed'));
      const answer = await api.send('PATCH', `${base}/configmaps/typed`, { body: {} });
      expect(answer.body).toMatchObject({ code: 415, message: '415: Unsupported Media Type' });
    });
  });

  describe('status', () => {
    it('is left alone by a write of the object', async () => {
      const { api, base } = world();
      await api.post(`${base}/pods`, aPod('main'));
      const answer = await api.patch(`${base}/pods/main`, 'merge', {
        metadata: { labels: { a: 'b' } },
        status: { phase: 'Running' },
      });
      expect(answer.body).toMatchObject({ metadata: { labels: { a: 'b' } }, status: { phase: 'Pending' } });
    });

    it('is all that a write of the status changes, beside labels', async () => {
      const { api, base } = world();
      await api.post(`${base}/pods`, aPod('sub'));
      const answer = await api.patch(`${base}/pods/sub/status`, 'strategic', {
        spec: { hostname: 'x' },
        status: { phase: 'Running', podIP: '10.0.0.1', podIPs: [{ ip: '10.0.0.1' }] },
      });
      expect(answer.body).toMatchObject({
        metadata: { generation: 1 },
        spec: expect.not.objectContaining({ hostname: 'x' }),
        status: { phase: 'Running', podIP: '10.0.0.1', qosClass: 'BestEffort' },
      });
    });

    it('is bound to UID and version where the patch names them', async () => {
      const { api, base } = world();
      await api.post(`${base}/pods`, aPod('bound'));
      const patch = (metadata: object): Promise<{ readonly body: unknown }> =>
        api.patch(`${base}/pods/bound/status`, 'strategic', { metadata, status: { phase: 'Running' } });
      expect((await patch({ uid: 'nope' })).body).toMatchObject({
        code: 422,
        message: 'Pod "bound" is invalid: metadata.uid: Invalid value: "nope": field is immutable',
      });
      expect((await patch({ resourceVersion: '1' })).body).toMatchObject({ code: 409, reason: 'Conflict' });
    });
  });
};
