import { readFile } from 'node:fs/promises';
import { credentialsFromKubeconfig } from '../../src/adapters/kubernetes/credentials-from-kubeconfig.ts';
import { KubernetesClient } from '../../src/adapters/kubernetes/kubernetes-client.ts';
import { watch } from '../../src/adapters/kubernetes/watch.ts';
import { SystemClock } from '../../src/adapters/system/system-clock.ts';
import type { Node, Pod } from '../../src/model/kubernetes.ts';
import { startControlPlane } from '../support/control-plane.ts';
import { waitFor } from '../support/local-cloud.ts';
import { startSvkRun } from '../support/svk-run.ts';
import { startPeer } from './peer.ts';

const PODS = '/api/v1/namespaces/default/pods';

/** A node with an instant back end, to be measured: ours (`mock`) or virtual-kubelet's own command (`peer`). */
export interface Subject {
  readonly name: 'mock' | 'peer';
  readonly node: string;
  readonly pid: number;
}

/** Both nodes on one control plane, one after the other in each step, so that both meet the same machine. */
export interface Contest {
  readonly subjects: readonly Subject[];
  readonly client: KubernetesClient;
  close(): Promise<void>;
}

export const startContest = async (): Promise<Contest> => {
  const plane = await startControlPlane();
  const client = new KubernetesClient(await credentialsFromKubeconfig(plane.kubeconfig), { clock: new SystemClock() });
  const size = { cpu: '1000', memory: '4096Gi', pods: '5000' };
  const mock = await startSvkRun(plane, { node: 'mock', provider: 'mock', config: { mock: size } });
  const peer = await startPeer(plane);
  await waitFor(async () => (await isReady(client, 'mock')) && (await isReady(client, peer.node)), {
    what: 'both nodes Ready',
  });
  return {
    client,
    subjects: [
      { name: 'mock', node: 'mock', pid: mock.pid },
      { name: 'peer', node: peer.node, pid: peer.pid },
    ],
    close: async () => {
      await Promise.all([mock.stop(), peer.stop()]);
      client.close();
      await plane.remove();
    },
  };
};

/** Makes a pod on the node and answers the milliseconds from the request, sent, to its phase Running on a watch. */
export const millisecondsToRunning = async (client: KubernetesClient, node: string, name: string): Promise<number> => {
  const ended = new AbortController();
  const signal = AbortSignal.any([ended.signal, within()]);
  const running = (async (): Promise<number> => {
    const query = { fieldSelector: `metadata.name=${name}` };
    for await (const event of watch<Pod>(client, PODS, { signal, resourceVersion: '0', query })) {
      if (event.type !== 'EXPIRED' && event.type !== 'BOOKMARK' && event.object.status?.phase === 'Running')
        return performance.now();
    }
    throw new Error(`the watch of pod ${name} ended`);
  })();
  const sent = performance.now();
  await client.create(PODS, podOn(node, name), { signal: within() });
  const at = await running;
  ended.abort();
  return at - sent;
};

/** Resident memory of a process, in MiB. */
export const residentMiB = async (pid: number): Promise<number> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) / 1_024;
};

export const podOn = (node: string, name: string): Pod => ({
  apiVersion: 'v1',
  kind: 'Pod',
  metadata: { name },
  spec: { nodeName: node, terminationGracePeriodSeconds: 1, containers: [{ name: 'main', image: 'bench' }] },
});

const within = (): AbortSignal => AbortSignal.timeout(30_000);

const isReady = async (client: KubernetesClient, node: string): Promise<boolean> => {
  const found = await client.get<Node>(`/api/v1/nodes/${node}`, { signal: within() }).catch(() => undefined);
  return found?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
};
