import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { createCertificateAuthority } from '../../infra/local/tls/certificate-authority.ts';
import { credentialsFromKubeconfig } from '../../src/adapters/kubernetes/credentials-from-kubeconfig.ts';
import { KubernetesClient } from '../../src/adapters/kubernetes/kubernetes-client.ts';
import { nodePath } from '../../src/adapters/kubernetes/paths.ts';
import { SystemClock } from '../../src/adapters/system/system-clock.ts';
import type { Node } from '../../src/model/kubernetes.ts';
import { startChild } from '../support/child.ts';
import type { ControlPlane } from '../support/control-plane.ts';
import { findUpstreamTool } from '../support/upstream-tools.ts';
import { userKubeconfig } from '../support/user-kubeconfig.ts';

/** Upstream's command, running. */
export interface Peer {
  readonly pid: number;
  /** The user its requests come from, as the audit log names it. */
  readonly user: string;
  readonly node: string;
  /** File of its output. */
  readonly log: string;
  stop(): Promise<void>;
}

export interface PeerOptions {
  /** Name of its node, and of its user. */
  readonly node?: string;
  /** What its kubelet API says it can be reached at. It listens on every address. */
  readonly address?: string;
  /** Port of its kubelet API. */
  readonly port?: number;
}

const READY_WITHIN_MS = 30_000;

/**
 * Starts upstream's `virtual-kubelet --provider mock` with its own client certificate on a control plane, and waits for its
 * node to be Ready. @throws {Error} where it is not to be had, or does not become Ready.
 */
export const startPeer = async (
  plane: Pick<ControlPlane, 'kubeconfig' | 'folder'>,
  { node = 'peer', address = '127.0.0.1', port = 10_260 }: PeerOptions = {},
): Promise<Peer> => {
  const tool = await findUpstreamTool('virtual-kubelet');
  if (tool === undefined) throw new Error('upstream virtual-kubelet is not to be had');
  const at = (name: string): string => path.join(plane.folder, `${node}.${name}`);
  const authority = await createCertificateAuthority({ commonName: 'peer', now: Date.now() });
  const { certificate, key } = await authority.issueServer({ commonName: node, names: [address] });
  await writeFile(at('crt'), certificate);
  await writeFile(at('key'), key, { mode: 0o600 });
  await writeFile(at('json'), JSON.stringify({ [node]: { cpu: '1000', memory: '4096Gi', pods: '5000' } }));
  const kubeconfig = await userKubeconfig(plane, node);
  const command = [tool, '--provider', 'mock', '--provider-config', at('json'), '--nodename', node];
  const env = {
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    KUBECONFIG: kubeconfig,
    APISERVER_CERT_LOCATION: at('crt'),
    APISERVER_KEY_LOCATION: at('key'),
    KUBELET_PORT: String(port),
    VKUBELET_POD_IP: address,
  };
  const child = await startChild([...command, '--kubeconfig', kubeconfig], { env, log: at('log') });
  try {
    await nodeReady(plane.kubeconfig, node, child.hasEnded);
  } catch (error) {
    await child.stop();
    throw new Error(`upstream virtual-kubelet did not become Ready; see ${at('log')}`, { cause: error });
  }
  return { pid: child.pid, user: node, node, log: at('log'), stop: child.stop };
};

const nodeReady = async (kubeconfig: string, name: string, hasEnded: () => boolean): Promise<void> => {
  const client = new KubernetesClient(await credentialsFromKubeconfig(kubeconfig), { clock: new SystemClock() });
  const { signal } = new AbortController();
  try {
    for (const until = Date.now() + READY_WITHIN_MS; Date.now() < until; await delay(20)) {
      if (hasEnded()) throw new Error('it ended early');
      const node = await client.get<Node>(nodePath(name), { signal }).catch(() => undefined);
      if (node?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True')) return;
    }
  } finally {
    client.close();
  }
  throw new Error('not Ready within 30 s');
};
