import type { Pod } from '../model/kubernetes.ts';
import type { Workload } from '../model/workload.ts';
import type { PodsApi } from '../ports/kubernetes.ts';
import type { KnownPod, PodStore } from '../ports/pod-store.ts';
import type { Provider } from '../ports/provider.ts';
import type { KubeletRequest, KubeletResponse } from './http.ts';
import { json } from './responses.ts';

export interface PodListsDependencies {
  readonly node: string;
  readonly pods: Pick<PodsApi, 'list'>;
  readonly podStore: Pick<PodStore, 'knownPods'>;
  readonly provider: Pick<Provider, 'list'>;
}

/** `GET /pods`: the pods bound to this node, whole, as a PodList. */
export const getPods = async (
  { signal }: KubeletRequest,
  { node, pods }: PodListsDependencies,
): Promise<KubeletResponse> => json(200, podList(await pods.list(node, signal)));

/**
 * `GET /runningpods/`: what the provider runs for this node, whatever the API server thinks, as a PodList with names,
 * containers and addresses. A workload no row knows belongs to no node any more and is left to the collector.
 */
export const getRunningPods = async (
  { signal }: KubeletRequest,
  { node, podStore, provider }: PodListsDependencies,
): Promise<KubeletResponse> => {
  const known = new Map((await podStore.knownPods(node)).map((pod) => [pod.pod.uid, pod]));
  const running: unknown[] = [];
  for await (const workload of provider.list({ stopped: false }, signal)) {
    const owner = workload.podUid === undefined ? undefined : known.get(workload.podUid);
    if (owner !== undefined && workload.phase !== 'stopped') running.push(toPod(owner, workload));
  }
  return json(200, podList(running));
};

// kubelet writes `items: null` for none; an empty list says the same and breaks fewer clients.
const podList = (items: readonly unknown[]): unknown => ({ kind: 'PodList', apiVersion: 'v1', metadata: {}, items });

const toPod = ({ pod, node }: KnownPod, workload: Workload): Pod => ({
  metadata: { name: pod.name, namespace: pod.namespace, uid: pod.uid },
  spec: {
    nodeName: node,
    containers: workload.containers.map(({ name, image }) => ({ name, ...(image === undefined ? {} : { image }) })),
  },
  status: {
    phase: workload.phase === 'starting' ? 'Pending' : 'Running',
    ...(workload.ips[0] === undefined ? {} : { podIP: workload.ips[0], podIPs: workload.ips.map((ip) => ({ ip })) }),
  },
});
