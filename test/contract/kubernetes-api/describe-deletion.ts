import { describe, expect, it } from 'vitest';
import { type ApiWorld, aConfigMap, aPod, eventually, unique } from './api-world.ts';

const bound = (name: string, spec: object = {}): object => aPod(name, { nodeName: 'far-away', ...spec });

/** Deleting: grace periods, finalizers, preconditions. */
export const describeDeletion = (world: () => ApiWorld): void => {
  describe('delete', () => {
    it('answers with a Status that names what is gone', async () => {
      const { api, base } = world();
      await api.post(`${base}/configmaps`, aConfigMap('gone'));
      expect((await api.delete(`${base}/configmaps/gone`)).body).toMatchObject({
        kind: 'Status',
        status: 'Success',
        details: { name: 'gone', kind: 'configmaps', uid: expect.any(String) },
      });
      expect((await api.delete(`${base}/configmaps/gone`)).code).toBe(404);
    });

    it('gives a pod on a node its own grace period, and shortens it only', async () => {
      const { api, base } = world();
      await api.post(`${base}/pods`, bound('graceful', { terminationGracePeriodSeconds: 20 }));
      const graceOf = async (query: string): Promise<unknown> =>
        (await api.delete(`${base}/pods/graceful${query}`)).body;
      expect(await graceOf('')).toMatchObject({
        metadata: { deletionGracePeriodSeconds: 20, deletionTimestamp: expect.any(String), generation: 2 },
      });
      expect(await graceOf('?gracePeriodSeconds=5')).toMatchObject({ metadata: { deletionGracePeriodSeconds: 5 } });
      expect(await graceOf('?gracePeriodSeconds=50')).toMatchObject({ metadata: { deletionGracePeriodSeconds: 5 } });
      expect((await api.get(`${base}/pods/graceful`)).code).toBe(200);
      expect((await api.delete(`${base}/pods/graceful`, { gracePeriodSeconds: 0 })).code).toBe(200);
      expect((await api.get(`${base}/pods/graceful`)).code).toBe(404);
    });

    it.each([
      { which: 'that has no node', pod: aPod('at-once'), phase: undefined },
      { which: 'that has ended', pod: bound('at-once'), phase: 'Succeeded' },
    ])('takes a pod $which at once', async ({ pod, phase }) => {
      const { api, base } = world();
      await api.post(`${base}/pods`, pod);
      if (phase) await api.patch(`${base}/pods/at-once/status`, 'merge', { status: { phase } });
      expect((await api.delete(`${base}/pods/at-once`)).body).toMatchObject({
        kind: 'Pod',
        metadata: { deletionGracePeriodSeconds: 0 },
      });
      expect((await api.get(`${base}/pods/at-once`)).code).toBe(404);
    });

    it('holds preconditions on UID and version', async () => {
      const { api, base } = world();
      const made = await api.post(`${base}/pods`, bound('exact'));
      const path = `${base}/pods/exact`;
      const uid = await api.delete(path, { gracePeriodSeconds: 0, preconditions: { uid: 'other' } });
      expect(uid.body).toMatchObject({
        code: 409,
        message: expect.stringMatching(
          /^Operation cannot be fulfilled on Pod "exact": the UID in the precondition \(other\) does not match the UID in record \([0-9a-f-]{36}\)\. The object might have been deleted and then recreated$/,
        ),
      });
      const version = await api.delete(path, { gracePeriodSeconds: 0, preconditions: { resourceVersion: '1' } });
      expect(version.body).toMatchObject({ code: 409 });
      const { metadata } = made.body as { metadata: { uid: string } };
      const right = await api.delete(path, { gracePeriodSeconds: 0, preconditions: { uid: metadata.uid } });
      expect(right.code).toBe(200);
    });

    it('waits for finalizers', async () => {
      const { api, base } = world();
      await api.post(`${base}/configmaps`, aConfigMap('held', {}, { finalizers: ['a.b/c'] }));
      const path = `${base}/configmaps/held`;
      expect((await api.delete(path)).body).toMatchObject({
        metadata: { deletionTimestamp: expect.any(String), finalizers: ['a.b/c'] },
      });
      expect((await api.patch(path, 'merge', { metadata: { finalizers: ['a.b/c', 'a.b/d'] } })).body).toMatchObject({
        code: 422,
        message:
          'ConfigMap "held" is invalid: metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers []string{"a.b/d"}',
      });
      expect((await api.patch(path, 'merge', { metadata: { finalizers: null } })).code).toBe(200);
      expect((await api.get(path)).code).toBe(404);
    });

    it('deletes a collection by selector', async () => {
      const { api, base } = world();
      for (const name of ['one', 'two'])
        await api.post(`${base}/configmaps`, aConfigMap(name, {}, { labels: { set: 'x' } }));
      await api.post(`${base}/configmaps`, aConfigMap('three'));
      expect((await api.delete(`${base}/configmaps?labelSelector=set%3Dx`)).body).toMatchObject({
        kind: 'ConfigMapList',
        items: [{ metadata: { name: 'one' } }, { metadata: { name: 'two' } }],
      });
      expect((await api.get(`${base}/configmaps/one`)).code).toBe(404);
      expect((await api.get(`${base}/configmaps/three`)).code).toBe(200);
    });

    it('rehearses on a dry run', async () => {
      const { api, base } = world();
      await api.post(`${base}/configmaps`, aConfigMap('kept'));
      expect((await api.delete(`${base}/configmaps/kept?dryRun=All`)).code).toBe(200);
      expect((await api.get(`${base}/configmaps/kept`)).code).toBe(200);
    });

    it('evicts a pod', async () => {
      const { api, base } = world();
      await api.post(`${base}/pods`, bound('evicted'));
      const eviction = {
        apiVersion: 'policy/v1',
        kind: 'Eviction',
        metadata: { name: 'evicted' },
        deleteOptions: { gracePeriodSeconds: 7 },
      };
      expect((await api.post(`${base}/pods/evicted/eviction`, eviction)).body).toMatchObject({
        status: 'Success',
        code: 201,
      });
      expect((await api.get(`${base}/pods/evicted`)).body).toMatchObject({
        metadata: { deletionGracePeriodSeconds: 7 },
        status: {
          conditions: expect.arrayContaining([
            expect.objectContaining({ type: 'DisruptionTarget', status: 'True', reason: 'EvictionByEvictionAPI' }),
          ]),
        },
      });
    });
  });

  describe('namespace', () => {
    it('takes nothing new while it goes, and goes once it is empty', async () => {
      const { api } = world();
      const name = unique('going');
      const base = `/api/v1/namespaces/${name}`;
      await api.post('/api/v1/namespaces', { metadata: { name } });
      await api.post(`${base}/configmaps`, aConfigMap('held', {}, { finalizers: ['a.b/c'] }));
      expect((await api.delete(base)).body).toMatchObject({ status: { phase: 'Terminating' } });
      expect((await api.post(`${base}/configmaps`, aConfigMap('late'))).body).toMatchObject({
        code: 403,
        message: `configmaps "late" is forbidden: unable to create new content in namespace ${name} because it is being terminated`,
      });
      await eventually(async () => (await api.get(`${base}/configmaps/held`)).text.includes('deletionTimestamp'));
      await api.patch(`${base}/configmaps/held`, 'merge', { metadata: { finalizers: null } });
      await eventually(async () => (await api.get(base)).code === 404);
    });

    it('is protected where the cluster needs it', async () => {
      expect((await world().api.delete('/api/v1/namespaces/kube-system')).body).toMatchObject({
        code: 403,
        message: 'namespaces "kube-system" is forbidden: this namespace may not be deleted',
      });
    });
  });
};
