import type { KubernetesClient } from '../../../src/adapters/kubernetes/kubernetes-client.ts';
import type { KubernetesEvent, Lease, Node, Pod } from '../../../src/model/kubernetes.ts';
import type { ClusterView } from './to-page-state.ts';

/** The calls of a client that the page needs: it reads and never writes. */
export type ReadingClient = Pick<KubernetesClient, 'list'>;

const deadlineMs = 5_000;

/** Asks the cluster once for everything the page shows; where it does not answer, what it said before and why. */
export const readCluster = async (
  client: ReadingClient,
  nodeNames: readonly string[],
  before: ClusterView,
): Promise<ClusterView> => {
  const signal = AbortSignal.timeout(deadlineMs);
  const list = async <T>(path: string, query: Readonly<Record<string, string>> = {}): Promise<readonly T[]> =>
    (await client.list<T>(path, { signal, query })).items;
  const podsOf = (node: string): Promise<readonly Pod[]> =>
    list<Pod>('/api/v1/pods', { fieldSelector: `spec.nodeName=${node}` });
  try {
    const [nodes, leases, pods, events] = await Promise.all([
      list<Node>('/api/v1/nodes'),
      list<Lease>('/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases'),
      Promise.all(nodeNames.map(podsOf)),
      list<KubernetesEvent>('/api/v1/events'),
    ]);
    return { nodes, leases, pods: pods.flat(), events };
  } catch (error) {
    return { ...before, problem: error instanceof Error ? error.message : String(error) };
  }
};
