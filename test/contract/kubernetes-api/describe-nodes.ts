import { describe, expect, it } from 'vitest';
import { type ApiWorld, eventually, unique } from './api-world.ts';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
const TABLE = 'application/json;as=Table;v=v1;g=meta.k8s.io';

/** Nodes, leases, events, services and secrets. */
export const describeOtherKinds = (world: () => ApiWorld): void => {
  describe('node', () => {
    it('is tainted until it is Ready', async () => {
      const { api } = world();
      const name = unique('node');
      const taints = [{ key: 'a', value: 'b', effect: 'NoSchedule' }];
      const body = {
        metadata: { name },
        spec: { taints },
        status: { capacity: { cpu: '4', memory: '8Gi', pods: '10' } },
      };
      const made = await api.post('/api/v1/nodes', body);
      expect(made.body).toMatchObject({
        spec: { taints: [...taints, { key: 'node.kubernetes.io/not-ready', effect: 'NoSchedule' }] },
        status: { allocatable: { cpu: '4', memory: '8Gi', pods: '10' } },
      });
      const conditions = [
        { type: 'Ready', status: 'True', reason: 'KubeletReady', lastHeartbeatTime: '2030-01-01T00:00:00Z' },
      ];
      await api.patch(`/api/v1/nodes/${name}/status`, 'strategic', { status: { conditions } });
      await eventually(async () => !(await api.get(`/api/v1/nodes/${name}`)).text.includes('not-ready'));
      expect((await api.get(`/api/v1/nodes/${name}`, { accept: TABLE })).body).toMatchObject({
        rows: [
          {
            cells: [
              name,
              'Ready',
              '<none>',
              expect.any(String),
              '',
              '<none>',
              '<none>',
              '<unknown>',
              '<unknown>',
              '<unknown>',
            ],
          },
        ],
      });
      await api.delete(`/api/v1/nodes/${name}`);
    });

    it('is refused with taints that cannot be', async () => {
      const taints = [
        { key: 'a', effect: 'NoSchedule' },
        { key: 'a', effect: 'NoSchedule' },
        { key: 'b', effect: 'Foo' },
      ];
      expect(
        (await world().api.post('/api/v1/nodes', { metadata: { name: 'bad' }, spec: { taints } })).body,
      ).toMatchObject({
        code: 422,
        details: {
          causes: [
            { reason: 'FieldValueDuplicate', field: 'metadata.taints[1]' },
            { reason: 'FieldValueNotSupported', field: 'metadata.taints[2].effect' },
          ],
        },
      });
    });
  });

  describe('lease', () => {
    const aLease = (renewTime: string): object => ({
      metadata: { name: unique('lease') },
      spec: { holderIdentity: 'n', leaseDurationSeconds: 40, renewTime },
    });

    it.each([
      { digits: 3, time: '2030-01-01T00:00:00.123Z', why: 'cannot parse ".123Z" as ".000000"' },
      { digits: 0, time: '2030-01-01T00:00:00Z', why: 'cannot parse "Z" as ".000000"' },
      { digits: 9, time: '2030-01-01T00:00:00.123456789Z', why: 'cannot parse "789Z" as "Z07:00"' },
    ])('is refused with a time of $digits fractional digits', async ({ time, why }) => {
      expect((await world().api.post(LEASES, aLease(time))).body).toMatchObject({
        code: 400,
        message: `Lease in version "v1" cannot be handled as a Lease: parsing time "${time}" as "2006-01-02T15:04:05.000000Z07:00": ${why}`,
      });
    });

    // Ours go out as patches, so that this rule is only met by whoever replaces a lease: with the version just read.
    it.each(['0', ''])('N-09 is not replaced at version "%s", and patched without any', async (resourceVersion) => {
      const { api } = world();
      const { metadata, spec } = (await api.post(LEASES, aLease('2030-01-01T00:00:00.000000Z'))).body as {
        readonly metadata: { readonly name: string };
        readonly spec: object;
      };
      const path = `${LEASES}/${metadata.name}`;
      const refused = await api.put(path, { metadata: { ...metadata, resourceVersion }, spec });
      expect(refused.body).toMatchObject({
        code: 422,
        message: expect.stringContaining('must be specified for an update'),
      });
      const patch = { spec: { renewTime: '2030-01-01T00:00:10.000000Z' } };
      expect((await api.patch(path, 'strategic', patch)).code).toBe(200);
    });

    it('keeps six fractional digits, and needs a version to be replaced', async () => {
      const { api } = world();
      const made = await api.post(LEASES, aLease('2030-01-01T00:00:00.123456Z'));
      expect(made.body).toMatchObject({ spec: { renewTime: '2030-01-01T00:00:00.123456Z' } });
      const { metadata, spec } = made.body as { metadata: { name: string; resourceVersion: string }; spec: object };
      const without = await api.put(`${LEASES}/${metadata.name}`, { metadata: { name: metadata.name }, spec });
      expect(without.body).toMatchObject({
        code: 422,
        message: `leases.coordination.k8s.io "${metadata.name}" is invalid: metadata.resourceVersion: Invalid value: 0: must be specified for an update`,
      });
      const renewed = { ...spec, renewTime: '2030-01-01T00:00:10.000000Z' };
      expect((await api.put(`${LEASES}/${metadata.name}`, { metadata, spec: renewed })).code).toBe(200);
      expect((await api.put(`${LEASES}/${metadata.name}`, { metadata, spec })).code).toBe(409);
    });
  });

  describe('event', () => {
    it('is one object under both versions', async () => {
      const { api, base, namespace } = world();
      const body = {
        metadata: { name: 'started' },
        involvedObject: { kind: 'Pod', name: 'web', namespace },
        reason: 'Started',
        message: 'Started container app',
        type: 'Normal',
        source: { component: 'kubelet', host: 'n' },
        firstTimestamp: '2030-01-01T00:00:00Z',
        lastTimestamp: '2030-01-01T00:00:00Z',
        count: 2,
      };
      expect((await api.post(`${base}/events`, body)).code).toBe(201);
      const path = `/apis/events.k8s.io/v1/namespaces/${namespace}/events`;
      expect((await api.get(`${path}/started`)).body).toMatchObject({
        apiVersion: 'events.k8s.io/v1',
        kind: 'Event',
        regarding: { kind: 'Pod', name: 'web' },
        note: 'Started container app',
        deprecatedSource: { component: 'kubelet', host: 'n' },
        deprecatedCount: 2,
      });
      const newer = {
        metadata: { name: 'newer' },
        eventTime: '2030-01-01T00:00:00.100000Z',
        reportingController: 'a.b/c',
        reportingInstance: 'i',
        action: 'Act',
        reason: 'R',
        type: 'Normal',
        note: 'hello',
        regarding: { kind: 'Pod', name: 'web', namespace },
      };
      expect((await api.post(path, newer)).code).toBe(201);
      expect((await api.get(`${base}/events/newer`)).body).toMatchObject({
        apiVersion: 'v1',
        involvedObject: { name: 'web' },
        message: 'hello',
        reportingComponent: 'a.b/c',
      });
      const selector = encodeURIComponent(
        'involvedObject.name=web,involvedObject.kind=Pod,reason=Started,source=kubelet',
      );
      expect((await api.get(`${base}/events?fieldSelector=${selector}`)).body).toMatchObject({
        items: [{ metadata: { name: 'started' } }],
      });
    });

    it('must be about its own namespace', async () => {
      const { api, base } = world();
      const body = {
        metadata: { name: 'astray' },
        involvedObject: { kind: 'Pod', name: 'x', namespace: 'other' },
        reason: 'R',
      };
      expect((await api.post(`${base}/events`, body)).body).toMatchObject({
        code: 422,
        message:
          'Event "astray" is invalid: involvedObject.namespace: Invalid value: "other": does not match event.namespace',
      });
    });
  });

  describe('service and secret', () => {
    it('gives a service an address', async () => {
      const { api, base } = world();
      const spec = { ports: [{ port: 80 }], selector: { a: 'b' } };
      expect((await api.post(`${base}/services`, { metadata: { name: 'web' }, spec })).body).toMatchObject({
        spec: {
          type: 'ClusterIP',
          clusterIP: expect.stringMatching(/^10\.96\.\d+\.\d+$/),
          ports: [{ port: 80, targetPort: 80, protocol: 'TCP' }],
          sessionAffinity: 'None',
          internalTrafficPolicy: 'Cluster',
        },
        status: { loadBalancer: {} },
      });
      expect((await api.post(`${base}/services`, { metadata: { name: 'none' } })).body).toMatchObject({
        code: 422,
        message: 'Service "none" is invalid: spec.ports: Required value',
      });
    });

    it('folds stringData, and freezes what is immutable', async () => {
      const { api, base } = world();
      const made = await api.post(`${base}/secrets`, { metadata: { name: 'key' }, stringData: { a: 'b' } });
      expect(made.body).toMatchObject({ data: { a: 'Yg==' }, type: 'Opaque' });
      expect(made.text).not.toContain('stringData');
      const path = `${base}/secrets/key`;
      expect((await api.patch(path, 'merge', { type: 'other' })).body).toMatchObject({
        message: 'Secret "key" is invalid: type: Invalid value: "other": field is immutable',
      });
      await api.patch(path, 'merge', { immutable: true });
      expect((await api.patch(path, 'merge', { data: { a: 'Yw==' } })).body).toMatchObject({
        message: 'Secret "key" is invalid: data: Forbidden: field is immutable when `immutable` is set',
      });
    });
  });
};
