import { describe, expect, it } from 'vitest';
import { ConflictError, NotFoundError } from '../../../src/core/errors.ts';
import type { Node } from '../../../src/model/kubernetes.ts';
import type { KubernetesWorld } from './kubernetes-world.ts';
import { unique } from './unique.ts';

const { signal } = new AbortController();
const TIME = '2030-01-01T00:00:00Z';

export const describeNodes = (current: () => KubernetesWorld): void => {
  const nodes = (): KubernetesWorld['kubernetes']['nodes'] => current().kubernetes.nodes;

  const create = async (node: Partial<Node> = {}): Promise<string> => {
    const name = unique('node');
    await nodes().create({ ...node, metadata: { name, labels: { type: 'virtual-kubelet' } } }, signal);
    return name;
  };

  describe('nodes', () => {
    it('are created whole, once', async () => {
      const name = await create({
        spec: { providerID: 'svk://dev/a', taints: [{ key: 'svk.dev/a', value: 'b', effect: 'NoSchedule' }] },
        status: {
          capacity: { cpu: '4', pods: '10' },
          conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime: TIME, lastTransitionTime: TIME }],
        },
      });
      const node = await nodes().get(name, signal);
      expect(node.spec?.providerID).toBe('svk://dev/a');
      expect(node.spec?.taints).toEqual(
        expect.arrayContaining([{ key: 'svk.dev/a', value: 'b', effect: 'NoSchedule' }]),
      );
      expect(node.status?.capacity).toEqual({ cpu: '4', pods: '10' });
      expect(node.status?.conditions?.map(({ type, status }) => [type, status])).toEqual([['Ready', 'True']]);
      await expect(nodes().create({ metadata: { name } }, signal)).rejects.toThrow(ConflictError);
      await expect(nodes().get(unique('none'), signal)).rejects.toThrow(NotFoundError);
    });

    it('take labels, drop labels set to null and keep those of others', async () => {
      const name = await create();
      await current().others.patchNode(name, (node) => ({
        ...node,
        metadata: { ...node.metadata, labels: { ...node.metadata?.labels, team: 'a' } },
      }));
      const patched = await nodes().patch(name, { metadata: { labels: { type: null, zone: 'b' } } }, signal);
      expect(patched.metadata?.labels).toEqual({ team: 'a', zone: 'b' });
    });

    it('replace taints as a whole, and refuse that on an older reading', async () => {
      const name = await create({ spec: { taints: [{ key: 'svk.dev/a', effect: 'NoSchedule' }] } });
      const before = (await nodes().get(name, signal)).metadata?.resourceVersion;
      const taints = [{ key: 'svk.dev/b', effect: 'NoSchedule' }];
      const patched = await nodes().patch(name, { metadata: { resourceVersion: before }, spec: { taints } }, signal);
      expect(patched.spec?.taints).toEqual(taints);
      await expect(
        nodes().patch(name, { metadata: { resourceVersion: before }, spec: { taints: [] } }, signal),
      ).rejects.toThrow(ConflictError);
    });

    it('merge conditions by type and capacity by name, and keep what others wrote', async () => {
      const name = await create({
        status: {
          capacity: { cpu: '4', 'example.com/widget': '1' },
          conditions: [
            { type: 'Ready', status: 'False', lastHeartbeatTime: TIME, lastTransitionTime: TIME },
            { type: 'NetworkDegraded', status: 'True', lastHeartbeatTime: TIME, lastTransitionTime: TIME },
          ],
        },
      });
      const status = {
        capacity: { cpu: '8' },
        conditions: [{ type: 'Ready', status: 'True', lastHeartbeatTime: TIME, lastTransitionTime: TIME }],
      };
      const patched = await nodes().patchStatus(name, status, signal);
      expect(patched.status?.capacity).toEqual({ cpu: '8', 'example.com/widget': '1' });
      expect(
        patched.status?.conditions?.map((condition) => `${condition.type}=${condition.status}`).toSorted(),
      ).toEqual(['NetworkDegraded=True', 'Ready=True']);
    });

    it('replace addresses where told to', async () => {
      const name = await create();
      const before = [{ type: 'Hostname', address: 'a.example.com' }];
      await nodes().patchStatus(name, { addresses: before }, signal);
      const addresses = [{ $patch: 'replace' }, { type: 'InternalIP', address: '10.0.0.1' }];
      const patched = await nodes().patchStatus(name, { addresses }, signal);
      expect(patched.status?.addresses).toEqual([{ type: 'InternalIP', address: '10.0.0.1' }]);
    });

    it('keep spec and labels when their status is written, and status when the rest is', async () => {
      const name = await create({ spec: { providerID: 'svk://dev/a' } });
      await nodes().patchStatus(name, { capacity: { cpu: '1' } }, signal);
      const node = await nodes().patch(name, { metadata: { labels: { a: 'b' } } }, signal);
      expect([node.spec?.providerID, node.status?.capacity, node.metadata?.labels]).toEqual([
        'svk://dev/a',
        { cpu: '1' },
        { type: 'virtual-kubelet', a: 'b' },
      ]);
    });

    it('must be there for a patch', async () => {
      await expect(nodes().patchStatus(unique('none'), { capacity: {} }, signal)).rejects.toThrow(NotFoundError);
    });
  });
};
