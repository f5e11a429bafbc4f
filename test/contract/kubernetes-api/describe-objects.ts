import { describe, expect, it } from 'vitest';
import { type ApiWorld, aConfigMap, aPod, unique } from './api-world.ts';

/** Creating, reading and replacing objects. */
export const describeObjects = (world: () => ApiWorld): void => {
  describe('create', () => {
    it('fills in the metadata that is the server’s', async () => {
      const { api, base, namespace } = world();
      const body = aConfigMap('made', { a: '1' }, { uid: 'mine', creationTimestamp: '2020-01-01T00:00:00Z' });
      const answer = await api.post(`${base}/configmaps`, body);
      expect(answer.code).toBe(201);
      expect(answer.body).toMatchObject({
        apiVersion: 'v1',
        kind: 'ConfigMap',
        metadata: {
          name: 'made',
          namespace,
          uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
          resourceVersion: expect.stringMatching(/^\d+$/),
          creationTimestamp: expect.not.stringMatching(/^2020/),
        },
        data: { a: '1' },
      });
    });

    it('makes a name from generateName', async () => {
      const { api, base } = world();
      const answer = await api.post(`${base}/configmaps`, { metadata: { generateName: 'job-' } });
      expect(answer.body).toMatchObject({
        metadata: { generateName: 'job-', name: expect.stringMatching(/^job-[bcdfghjklmnpqrstvwxz2456789]{5}$/) },
      });
    });

    it('refuses a name that is taken', async () => {
      const { api, base } = world();
      await api.post(`${base}/configmaps`, aConfigMap('twice'));
      const answer = await api.post(`${base}/configmaps`, aConfigMap('twice'));
      expect(answer.body).toMatchObject({
        kind: 'Status',
        status: 'Failure',
        message: 'configmaps "twice" already exists',
        reason: 'AlreadyExists',
        details: { name: 'twice', kind: 'configmaps' },
        code: 409,
      });
    });

    it('writes nothing on a dry run', async () => {
      const { api, base } = world();
      const dry = await api.post(`${base}/pods?dryRun=All`, aPod('rehearsed'));
      expect(dry.code).toBe(201);
      expect(dry.body).toMatchObject({ status: { phase: 'Pending' }, spec: { restartPolicy: 'Always' } });
      expect((await api.get(`${base}/pods/rehearsed`)).code).toBe(404);
    });

    it('refuses unknown fields where it is told to be strict', async () => {
      const { api, base } = world();
      const body = aPod('strict', { foo: 1, containers: [{ name: 'a', image: 'b', bar: 2 }] });
      const answer = await api.post(`${base}/pods?fieldValidation=Strict`, body);
      expect(answer.body).toMatchObject({
        code: 400,
        message:
          'Pod in version "v1" cannot be handled as a Pod: strict decoding error: unknown field "spec.containers[0].bar", unknown field "spec.foo"',
      });
    });

    it('drops unknown fields with a warning else', async () => {
      const { api, base } = world();
      const answer = await api.post(`${base}/pods`, aPod('warned', { foo: 1 }));
      expect(answer.code).toBe(201);
      expect(answer.headers['warning']).toBe('299 - "unknown field \\"spec.foo\\""');
      expect(answer.body).toMatchObject({ spec: expect.not.objectContaining({ foo: 1 }) });
    });

    it.each([
      {
        what: 'a text for a number',
        spec: { containers: [{ name: 'a', image: 'b', ports: [{ containerPort: '80' }] }] },
        why: 'json: cannot unmarshal string into Go struct field ContainerPort.spec.containers.ports.containerPort of type int32',
      },
      {
        what: 'a text for a list',
        spec: { containers: 'x' },
        why: 'json: cannot unmarshal string into Go struct field PodSpec.spec.containers of type []v1.Container',
      },
      {
        what: 'a text for a flag',
        spec: { hostNetwork: 'yes' },
        why: 'json: cannot unmarshal string into Go struct field PodSpec.spec.hostNetwork of type bool',
      },
      {
        what: 'a quantity that is none',
        spec: { containers: [{ name: 'a', image: 'b', resources: { limits: { cpu: 'abc' } } }] },
        why: "quantities must match the regular expression '^([+-]?[0-9.]+)([eEinumkKMGTP]*[-+]?[0-9]*)$'",
      },
    ])('cannot read $what', async ({ spec, why }) => {
      const { api, base } = world();
      const answer = await api.post(`${base}/pods`, aPod('typed', spec));
      expect(answer.body).toMatchObject({
        code: 400,
        reason: 'BadRequest',
        message: `Pod in version "v1" cannot be handled as a Pod: ${why}`,
      });
    });

    it('refuses a namespace that is not there', async () => {
      const { api } = world();
      const answer = await api.post('/api/v1/namespaces/nowhere/configmaps', aConfigMap('x'));
      expect(answer.body).toMatchObject({ code: 404, message: 'namespaces "nowhere" not found' });
    });

    it('refuses a body for another namespace', async () => {
      const { api, base } = world();
      const answer = await api.post(`${base}/configmaps`, aConfigMap('x', {}, { namespace: 'other' }));
      expect(answer.body).toMatchObject({
        code: 400,
        message: 'the namespace of the provided object does not match the namespace sent on the request',
      });
    });

    it('reads YAML', async () => {
      const { api, base } = world();
      const body = 'apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: from-yaml\ndata:\n  a: "1"\n';
      const answer = await api.post(`${base}/configmaps`, body, { contentType: 'application/yaml' });
      expect(answer.body).toMatchObject({ metadata: { name: 'from-yaml' }, data: { a: '1' } });
    });

    it('refuses a media type it does not speak', async () => {
      const { api, base } = world();
      const answer = await api.post(`${base}/configmaps`, '<x/>', { contentType: 'text/xml' });
      expect(answer.body).toMatchObject({ code: 415, reason: 'UnsupportedMediaType' });
    });
  });

  describe('read', () => {
    it.each([
      { path: '/api/v1/namespaces/default/pods/nobody', code: 404, message: 'pods "nobody" not found' },
      { path: '/api/v1/foos', code: 404, message: 'the server could not find the requested resource' },
      { path: '/api/v1/nodes/nobody', code: 404, message: 'nodes "nobody" not found' },
    ])('answers $code for $path', async ({ path, code, message }) => {
      const answer = await world().api.get(path);
      expect(answer.body).toMatchObject({ kind: 'Status', code, message });
    });

    it('refuses a method the path does not have', async () => {
      const { api, base } = world();
      expect((await api.put(`${base}/configmaps`, {})).body).toMatchObject({ code: 405, reason: 'MethodNotAllowed' });
    });

    it('refuses an Accept header it cannot serve', async () => {
      const { api, base } = world();
      const answer = await api.get(`${base}/configmaps`, { accept: 'application/xml' });
      expect(answer.body).toMatchObject({ code: 406, reason: 'NotAcceptable' });
    });
  });

  describe('replace', () => {
    it('needs the version that is stored', async () => {
      const { api, base } = world();
      const path = `${base}/configmaps/replaced`;
      await api.post(`${base}/configmaps`, aConfigMap('replaced', { a: '1' }));
      const answer = await api.put(path, aConfigMap('replaced', { a: '2' }, { resourceVersion: '1' }));
      expect(answer.body).toMatchObject({
        code: 409,
        reason: 'Conflict',
        message:
          'Operation cannot be fulfilled on configmaps "replaced": the object has been modified; please apply your changes to the latest version and try again',
      });
      expect((await api.put(path, aConfigMap('replaced', { a: '3' }))).body).toMatchObject({ data: { a: '3' } });
    });

    it('refuses another name than the path’s', async () => {
      const { api, base } = world();
      await api.post(`${base}/configmaps`, aConfigMap('named'));
      expect((await api.put(`${base}/configmaps/named`, aConfigMap('other'))).body).toMatchObject({
        code: 400,
        message: 'the name of the object (other) does not match the name on the URL (named)',
      });
    });

    it('changes nothing where nothing changed', async () => {
      const { api, base } = world();
      const made = await api.post(`${base}/configmaps`, aConfigMap('same', { a: '1' }));
      const again = await api.put(`${base}/configmaps/same`, made.body);
      expect(again.body).toEqual(made.body);
    });

    it('makes no object, except leases', async () => {
      const { api, base } = world();
      expect((await api.put(`${base}/configmaps/absent`, aConfigMap('absent'))).code).toBe(404);
      const lease = { metadata: { name: unique('lease') }, spec: { holderIdentity: 'me', leaseDurationSeconds: 40 } };
      const leases = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
      expect((await api.put(`${leases}/${lease.metadata.name}`, lease)).code).toBe(201);
    });
  });
};
