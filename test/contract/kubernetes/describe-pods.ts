import { describe, expect, it } from 'vitest';
import { ConflictError, InvalidError, NotFoundError, TransientError } from '../../../src/core/errors.ts';
import type { Pod } from '../../../src/model/kubernetes.ts';
import type { PodIdentity } from '../../../src/model/pod-identity.ts';
import type { KubernetesWorld } from './kubernetes-world.ts';
import { unique } from './unique.ts';

const { signal } = new AbortController();
const OTHER_UID = '11111111-1111-4111-a111-111111111111';

export const describePods = (current: () => KubernetesWorld): void => {
  const pods = (): KubernetesWorld['kubernetes']['pods'] => current().kubernetes.pods;
  const read = ({ namespace, name }: PodIdentity): Promise<Pod> => pods().get(namespace, name, signal);
  const versionOf = async (pod: PodIdentity): Promise<string> => (await read(pod)).metadata?.resourceVersion ?? '';

  const create = async (spec: Partial<Pod['spec']> = {}): Promise<PodIdentity> => {
    const pod = await current().others.createPod({
      metadata: { namespace: 'default', name: unique('pod') },
      spec: { containers: [{ name: 'app', image: 'example.com/app' }], ...spec },
    });
    return { namespace: 'default', name: pod.metadata?.name ?? '', uid: pod.metadata?.uid ?? '' };
  };

  describe('pods', () => {
    it('are read by name, and missed by name', async () => {
      const pod = await create();
      expect((await read(pod)).metadata?.uid).toBe(pod.uid);
      await expect(pods().get('default', unique('none'), signal)).rejects.toThrow(NotFoundError);
    });

    it('are listed by the node they are bound to, whole or as metadata', async () => {
      const node = unique('node');
      const bound = await create();
      await create({ nodeName: unique('other') });
      await current().others.bindPod(bound.namespace, bound.name, node);

      const whole = await pods().list(node, signal);
      expect(whole.map(({ metadata, spec }) => [metadata?.uid, spec?.nodeName])).toEqual([[bound.uid, node]]);
      const metadata = await pods().listMetadata(node, signal);
      expect(metadata.map((item) => [item.metadata.uid, Object.keys(item)])).toEqual([[bound.uid, ['metadata']]]);
      expect(metadata[0]?.metadata.resourceVersion).toBe(await versionOf(bound));
    });

    it('take a status and merge its conditions by type', async () => {
      const pod = await create({ nodeName: unique('node') });
      const time = '2030-01-01T00:00:00Z';
      await pods().patchStatus(
        pod,
        await versionOf(pod),
        { conditions: [{ type: 'example.com/gate', status: 'True', lastTransitionTime: time }] },
        signal,
      );
      const patched = await pods().patchStatus(
        pod,
        await versionOf(pod),
        { phase: 'Running', conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: time }] },
        signal,
      );
      expect(patched.status?.phase).toBe('Running');
      expect(patched.status?.conditions?.map(({ type }) => type)).toEqual(
        expect.arrayContaining(['Ready', 'example.com/gate']),
      );
    });

    it('replace container statuses whole', async () => {
      const pod = await create({ nodeName: unique('node') });
      const waiting = { name: 'app', image: 'i', imageID: '', ready: false, restartCount: 0 };
      const state = { waiting: { reason: 'ContainerCreating' } };
      await pods().patchStatus(
        pod,
        await versionOf(pod),
        { containerStatuses: [{ ...waiting, started: false, state }] },
        signal,
      );
      const patched = await pods().patchStatus(
        pod,
        await versionOf(pod),
        { containerStatuses: [{ ...waiting, ready: true, state: { running: { startedAt: '2030-01-01T00:00:00Z' } } }] },
        signal,
      );
      expect(patched.status?.containerStatuses).toEqual([
        { ...waiting, ready: true, lastState: {}, state: { running: { startedAt: '2030-01-01T00:00:00Z' } } },
      ]);
    });

    it('are served with whole seconds, and null for times that were not given', async () => {
      const pod = await create({ nodeName: unique('node') });
      const app = { name: 'app', image: 'i', imageID: '', ready: false, restartCount: 0 };
      const { status } = await pods().patchStatus(
        pod,
        await versionOf(pod),
        {
          startTime: '2030-01-01T00:00:00.987Z',
          conditions: [{ type: 'Ready', status: 'False' }],
          containerStatuses: [{ ...app, state: { terminated: { exitCode: 1 } } }],
        },
        signal,
      );
      expect(status?.startTime).toBe('2030-01-01T00:00:00Z');
      expect(status?.conditions?.find(({ type }) => type === 'Ready')).toEqual({
        type: 'Ready',
        status: 'False',
        lastProbeTime: null,
        lastTransitionTime: null,
      });
      expect(status?.containerStatuses).toEqual([
        { ...app, lastState: {}, state: { terminated: { exitCode: 1, startedAt: null, finishedAt: null } } },
      ]);
    });

    it('have defaults and a QoS class from the start', async () => {
      const { spec, status } = await read(
        await create({
          containers: [
            {
              name: 'app',
              image: 'example.com:5000/app',
              ports: [{ containerPort: 80 }],
              env: [{ name: 'N', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } }],
              resources: { requests: { cpu: '1' } },
            },
            { name: 'tagged', image: 'example.com/app:1' },
          ],
        }),
      );
      expect(spec?.containers).toEqual([
        {
          name: 'app',
          image: 'example.com:5000/app',
          imagePullPolicy: 'Always',
          ports: [{ containerPort: 80, protocol: 'TCP' }],
          env: [{ name: 'N', valueFrom: { fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.name' } } }],
          resources: { requests: { cpu: '1' } },
          terminationMessagePath: '/dev/termination-log',
          terminationMessagePolicy: 'File',
        },
        {
          name: 'tagged',
          image: 'example.com/app:1',
          imagePullPolicy: 'IfNotPresent',
          resources: {},
          terminationMessagePath: '/dev/termination-log',
          terminationMessagePolicy: 'File',
        },
      ]);
      expect(spec).toMatchObject({
        restartPolicy: 'Always',
        terminationGracePeriodSeconds: 30,
        dnsPolicy: 'ClusterFirst',
        enableServiceLinks: true,
      });
      expect(status).toMatchObject({ phase: 'Pending', qosClass: 'Burstable' });
    });

    it('keep one address per family: another one must replace it', async () => {
      const pod = await create({ nodeName: unique('node') });
      const first = { podIP: '10.0.0.1', podIPs: [{ ip: '10.0.0.1' }] };
      await pods().patchStatus(pod, await versionOf(pod), first, signal);
      const added = { podIP: '10.0.0.2', podIPs: [{ ip: '10.0.0.2' }] };
      await expect(pods().patchStatus(pod, await versionOf(pod), added, signal)).rejects.toThrow(InvalidError);
      const replaced = { podIP: '10.0.0.2', podIPs: [{ $patch: 'replace' }, { ip: '10.0.0.2' }] as { ip: string }[] };
      const patched = await pods().patchStatus(pod, await versionOf(pod), replaced, signal);
      expect(patched.status?.podIPs).toEqual([{ ip: '10.0.0.2' }]);
    });

    it('keep their version where a status says nothing new', async () => {
      const pod = await create({ nodeName: unique('node') });
      const patched = await pods().patchStatus(pod, await versionOf(pod), { phase: 'Running' }, signal);
      const again = await pods().patchStatus(pod, await versionOf(pod), { phase: 'Running' }, signal);
      expect(again.metadata?.resourceVersion).toBe(patched.metadata?.resourceVersion);
    });

    it('refuse a status made of an older reading', async () => {
      const pod = await create({ nodeName: unique('node') });
      const old = await versionOf(pod);
      await pods().patchStatus(pod, old, { phase: 'Running' }, signal);
      await expect(pods().patchStatus(pod, old, { phase: 'Failed' }, signal)).rejects.toThrow(ConflictError);
    });

    it('refuse a status meant for an earlier pod of the name', async () => {
      const pod = await create({ nodeName: unique('node') });
      const earlier = { ...pod, uid: OTHER_UID };
      await expect(pods().patchStatus(earlier, await versionOf(pod), { phase: 'Failed' }, signal)).rejects.toThrow(
        ConflictError,
      );
      await expect(pods().patchStatus(earlier, '1', { phase: 'Failed' }, signal)).rejects.toThrow(ConflictError);
    });

    it('refuse that an ended container of a pod that is not restarted runs again', async () => {
      const pod = await create({ nodeName: unique('node'), restartPolicy: 'Never' });
      const app = { name: 'app', image: 'i', imageID: '', ready: false, restartCount: 0 };
      const ended = { containerStatuses: [{ ...app, state: { terminated: { exitCode: 1 } } }] };
      await pods().patchStatus(pod, await versionOf(pod), ended, signal);
      const running = { containerStatuses: [{ ...app, state: { running: {} } }] };
      await expect(pods().patchStatus(pod, await versionOf(pod), running, signal)).rejects.toThrow(InvalidError);
    });

    it('know nothing of a status once they are gone', async () => {
      const pod = await create();
      const version = await versionOf(pod);
      await pods().delete(pod, { graceSeconds: 0 }, signal);
      await expect(pods().patchStatus(pod, version, { phase: 'Failed' }, signal)).rejects.toThrow(NotFoundError);
    });

    it('stay for their grace period once bound, until a delete without one', async () => {
      const pod = await create({ nodeName: unique('node') });
      await current().others.deletePod(pod.namespace, pod.name);
      const terminating = await read(pod);
      expect(terminating.metadata?.deletionGracePeriodSeconds).toBe(30);
      expect(terminating.metadata?.deletionTimestamp).toMatch(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);

      await pods().delete(pod, { graceSeconds: 60 }, signal);
      expect((await read(pod)).metadata?.deletionGracePeriodSeconds).toBe(30);
      await pods().delete(pod, { graceSeconds: 5 }, signal);
      expect((await read(pod)).metadata?.deletionGracePeriodSeconds).toBe(5);
      await pods().delete(pod, { graceSeconds: 0 }, signal);
      await expect(read(pod)).rejects.toThrow(NotFoundError);
    });

    it('go at once where they are not bound, or over', async () => {
      const unbound = await create();
      await current().others.deletePod(unbound.namespace, unbound.name);
      await expect(read(unbound)).rejects.toThrow(NotFoundError);

      const over = await create({ nodeName: unique('node') });
      await pods().patchStatus(over, await versionOf(over), { phase: 'Succeeded' }, signal);
      await current().others.deletePod(over.namespace, over.name);
      await expect(read(over)).rejects.toThrow(NotFoundError);
    });

    it('are not deleted for an earlier pod of the name', async () => {
      const pod = await create({ nodeName: unique('node') });
      await expect(pods().delete({ ...pod, uid: OTHER_UID }, { graceSeconds: 0 }, signal)).rejects.toThrow(
        ConflictError,
      );
      expect((await read(pod)).metadata?.uid).toBe(pod.uid);
    });

    it('cannot be deleted twice', async () => {
      const pod = await create();
      await pods().delete(pod, { graceSeconds: 0 }, signal);
      await expect(pods().delete(pod, { graceSeconds: 0 }, signal)).rejects.toThrow(NotFoundError);
    });

    it('are not asked for where the caller has given up', async () => {
      await expect(pods().get('default', 'p', AbortSignal.abort())).rejects.toThrow(TransientError);
    });
  });
};
