import { describe, expect, it } from 'vitest';
import { NotFoundError } from '../../../src/core/errors.ts';
import type { KubernetesWorld } from './kubernetes-world.ts';
import { unique } from './unique.ts';

const { signal } = new AbortController();

export const describeCluster = (current: () => KubernetesWorld): void => {
  describe('what pods refer to', () => {
    it('config maps and secrets are read by name', async () => {
      const { kubernetes, others } = current();
      const name = unique('source');
      await others.createConfigMap('default', name, { colour: 'blue' });
      await others.createSecret('default', name, { password: 'hunter2' });
      expect((await kubernetes.sources.configMap('default', name, signal)).data).toEqual({ colour: 'blue' });
      expect((await kubernetes.sources.secret('default', name, signal)).data).toEqual({ password: 'aHVudGVyMg==' });
      await expect(kubernetes.sources.configMap('default', unique('none'), signal)).rejects.toThrow(NotFoundError);
      await expect(kubernetes.sources.secret('kube-system', name, signal)).rejects.toThrow(NotFoundError);
    });

    it('services are listed by namespace and read by name', async () => {
      const { kubernetes, others } = current();
      const name = unique('service');
      const spec = { ports: [{ name: 'http', port: 80 }], selector: { app: 'a' } };
      await others.createService({ metadata: { namespace: 'default', name }, spec });
      const listed = await kubernetes.sources.services('default', signal);
      expect(listed.map(({ metadata }) => metadata?.name)).toContain(name);
      expect(await kubernetes.sources.services('kube-node-lease', signal)).toEqual([]);
      expect((await kubernetes.sources.service('default', name, signal)).spec?.ports?.[0]?.port).toBe(80);
      await expect(kubernetes.sources.service('default', unique('none'), signal)).rejects.toThrow(NotFoundError);
    });
  });

  describe('the cluster', () => {
    it('has one identity and a version', async () => {
      const { cluster } = current().kubernetes;
      const uid = (await cluster.namespace('kube-system', signal)).metadata?.uid;
      expect(uid).toMatch(/^[0-9a-f-]{36}$/);
      expect((await cluster.namespace('kube-system', signal)).metadata?.uid).toBe(uid);
      await expect(cluster.namespace(unique('none'), signal)).rejects.toThrow(NotFoundError);
      expect(await cluster.version(signal)).toMatch(/^v1\.\d+\.\d+/);
    });

    it('records events', async () => {
      const event = {
        metadata: { namespace: 'default', name: unique('event') },
        involvedObject: { kind: 'Pod', namespace: 'default', name: 'p' },
        type: 'Normal',
        reason: 'Started',
        message: 'Started container app',
        count: 1,
        firstTimestamp: '2030-01-01T00:00:00Z',
        lastTimestamp: '2030-01-01T00:00:00Z',
      };
      await expect(current().kubernetes.events.create(event, signal)).resolves.toBeUndefined();
    });
  });

  describe('access', () => {
    it('is granted to cluster administrators only', async () => {
      const { access } = current().kubernetes;
      const attributes = { verb: 'get', resource: 'pods', subresource: 'log', namespace: 'default', name: 'p' };
      const admin = { username: 'a', groups: ['system:masters'] };
      expect(await access.reviewAccess(admin, attributes, signal)).toBe(true);
      expect(await access.reviewAccess({ username: 'b', groups: ['c'] }, attributes, signal)).toBe(false);
    });

    it('knows no user for a token nobody issued', async () => {
      expect(await current().kubernetes.access.reviewToken('nobody', signal)).toBeUndefined();
    });
  });
};
