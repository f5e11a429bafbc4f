import { createKubernetes } from '../../../src/adapters/kubernetes/kubernetes-api.ts';
import type { KubernetesClient } from '../../../src/adapters/kubernetes/kubernetes-client.ts';
import { corePath, leasePath, nodePath } from '../../../src/adapters/kubernetes/paths.ts';
import type { Node } from '../../../src/model/kubernetes.ts';
import type { KubernetesWorld } from './kubernetes-world.ts';

const { signal } = new AbortController();

/** The port over a client, with the same client as the somebody else. */
export const clientWorld = (client: KubernetesClient, close: () => Promise<void>): KubernetesWorld => ({
  kubernetes: createKubernetes(client),
  others: {
    createPod: (pod) => client.create(corePath(pod.metadata?.namespace ?? 'default', 'pods'), pod, { signal }),
    bindPod: async (namespace, name, node) => {
      const target = { apiVersion: 'v1', kind: 'Node', name: node };
      await client.create(corePath(namespace, 'pods', name, 'binding'), { metadata: { name }, target }, { signal });
    },
    deletePod: (namespace, name, graceSeconds) =>
      client.delete(corePath(namespace, 'pods', name), {
        signal,
        ...(graceSeconds !== undefined && { gracePeriodSeconds: graceSeconds }),
      }),
    patchNode: async (name, change) => {
      const node = await client.get<Node>(nodePath(name), { signal });
      await client.update(nodePath(name), change(node), { signal });
    },
    deleteLease: (name) => client.delete(leasePath(name), { signal }),
    createConfigMap: async (namespace, name, data) => {
      await client.create(corePath(namespace, 'configmaps'), { metadata: { name }, data }, { signal });
    },
    createSecret: async (namespace, name, data) => {
      await client.create(corePath(namespace, 'secrets'), { metadata: { name }, stringData: data }, { signal });
    },
    createService: async (service) => {
      const namespace = service.metadata?.namespace ?? 'default';
      await client.create(corePath(namespace, 'services'), service, { signal });
    },
  },
  close: async () => {
    client.close();
    await close();
  },
});
