import type { PodsApi } from '../../../ports/kubernetes.ts';
import type { PodStore } from '../../../ports/pod-store.ts';

const ANSWER_MS = 10_000;

/**
 * What the kubelet API asks of rows, for a gateway that cannot see those of its deployment: it has no row, so that the
 * provider is asked, and its pods are those that the API server has bound to the node.
 */
export const podsOfApi = (pods: Pick<PodsApi, 'listMetadata'>): Pick<PodStore, 'get' | 'knownPods'> => ({
  get: () => Promise.resolve(undefined),
  knownPods: async (node) => {
    const known = await pods.listMetadata(node, AbortSignal.timeout(ANSWER_MS));
    return known.map(({ metadata: { namespace = '', name = '', uid = '' } }) => ({
      pod: { namespace, name, uid },
      node,
    }));
  },
});
