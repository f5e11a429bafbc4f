import type { Pod, PodMetadata } from '../../model/kubernetes.ts';
import type { PodsApi } from '../../ports/kubernetes.ts';
import type { KubernetesClient } from './kubernetes-client.ts';
import { corePath } from './paths.ts';

const ALL_PODS = '/api/v1/pods';

/** Pods of one API server. */
export const createPodsApi = (client: KubernetesClient): PodsApi => ({
  get: (namespace, name, signal) => client.get<Pod>(corePath(namespace, 'pods', name), { signal }),

  listMetadata: async (node, signal) => {
    const list = await client.list<PodMetadata>(ALL_PODS, { signal, query: boundTo(node), metadataOnly: true });
    return list.items.map(({ metadata }) => ({ metadata }));
  },

  list: async (node, signal) => (await client.list<Pod>(ALL_PODS, { signal, query: boundTo(node) })).items,

  patchStatus: ({ namespace, name, uid }, resourceVersion, status, signal) =>
    client.patch<Pod>(
      corePath(namespace, 'pods', name, 'status'),
      'strategic',
      { metadata: { uid, resourceVersion }, status },
      { signal },
    ),

  delete: ({ namespace, name, uid }, { graceSeconds }, signal) =>
    client.delete(corePath(namespace, 'pods', name), {
      signal,
      gracePeriodSeconds: graceSeconds,
      preconditions: { uid },
    }),
});

/** Selects the pods of a node. */
export const boundTo = (node: string): Record<string, string> => ({ fieldSelector: `spec.nodeName=${node}` });
