import { mkdirSync } from 'node:fs';
import type { KubernetesCredentials } from '../../../src/adapters/kubernetes/credentials.ts';
import { credentialsFromKubeconfig } from '../../../src/adapters/kubernetes/credentials-from-kubeconfig.ts';
import { KubernetesClient } from '../../../src/adapters/kubernetes/kubernetes-client.ts';
import { SystemClock } from '../../../src/adapters/system/system-clock.ts';
import type { ConfigMap } from '../../../src/model/kubernetes.ts';
import { startEmbeddedKubernetes } from '../kubernetes/server.ts';
import type { LocalOptions } from './options.ts';

/** The Kubernetes that the local node joins. */
export interface LocalCluster {
  readonly embedded: boolean;
  readonly credentials: KubernetesCredentials;
  /** What a person hands to kubectl. */
  readonly kubeconfigPath: string;
  /** CA of the certificate the API server presents to kubelets. */
  readonly kubeletClientCa: string;
  /** Tells the API server where the admission function listens; a cluster of the user's own needs a webhook configuration. */
  setAdmissionUrl(url: string): void;
  close(): Promise<void>;
}

/** The user's own cluster where a kubeconfig was given, else the embedded Kubernetes API. @throws where it can't be reached. */
export const openCluster = (options: LocalOptions): Promise<LocalCluster> =>
  options.kubeconfig === undefined ? embeddedCluster(options) : ownCluster(options.kubeconfig);

const embeddedCluster = async ({ directory, ports }: LocalOptions): Promise<LocalCluster> => {
  mkdirSync(directory, { recursive: true });
  const api = await startEmbeddedKubernetes({ port: ports.kubernetes, directory });
  return {
    embedded: true,
    credentials: { server: api.url, certificateAuthority: api.certificateAuthority, token: api.token },
    kubeconfigPath: api.kubeconfigPath,
    kubeletClientCa: api.kubeletClient.ca,
    setAdmissionUrl: (url) => api.setAdmissionUrl(url),
    close: () => api.close(),
  };
};

const ownCluster = async (kubeconfigPath: string): Promise<LocalCluster> => {
  const credentials = await credentialsFromKubeconfig(kubeconfigPath);
  const client = new KubernetesClient(credentials, { clock: new SystemClock() });
  try {
    return {
      embedded: false,
      credentials,
      kubeconfigPath,
      kubeletClientCa: await clientCaOf(client, credentials),
      setAdmissionUrl: () => undefined,
      close: () => Promise.resolve(),
    };
  } finally {
    client.close();
  }
};

/** Where kubelets with delegated authentication find it too; a cluster that hides it most likely uses its only CA. */
const clientCaOf = async (client: KubernetesClient, credentials: KubernetesCredentials): Promise<string> => {
  const path = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';
  try {
    const configMap = await client.get<ConfigMap>(path, { signal: AbortSignal.timeout(10_000) });
    return configMap.data?.['client-ca-file'] ?? credentials.certificateAuthority ?? '';
  } catch {
    return credentials.certificateAuthority ?? '';
  }
};
