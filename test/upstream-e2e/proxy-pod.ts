import { credentialsFromKubeconfig } from '../../src/adapters/kubernetes/credentials-from-kubeconfig.ts';
import { KubernetesClient } from '../../src/adapters/kubernetes/kubernetes-client.ts';
import { SystemClock } from '../../src/adapters/system/system-clock.ts';

/**
 * Adds the pod through whose proxy two tests of the suite go: named like the node, as if the kubelet ran in it, on some
 * other node that is only a name.
 */
export const addProxyPod = async (
  kubeconfig: string,
  { name, address }: { readonly name: string; readonly address: string },
): Promise<void> => {
  const client = new KubernetesClient(await credentialsFromKubeconfig(kubeconfig), { clock: new SystemClock() });
  const { signal } = new AbortController();
  try {
    await client.create('/api/v1/nodes', { metadata: { name: 'host' } }, { signal });
    const containers = [{ name: 'vk', image: 'vk' }];
    const spec = { nodeName: 'host', containers, tolerations: [{ operator: 'Exists' }] };
    await client.create('/api/v1/namespaces/default/pods', { metadata: { name }, spec }, { signal });
    const status = { phase: 'Running', podIP: address, podIPs: [{ ip: address }] };
    await client.patch(`/api/v1/namespaces/default/pods/${name}/status`, 'strategic', { status }, { signal });
  } finally {
    client.close();
  }
};
