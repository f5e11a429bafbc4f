import { mkdirSync } from 'node:fs';
import type { KubernetesCredentials } from '../../../src/adapters/kubernetes/credentials.ts';
import { credentialsFromKubeconfig } from '../../../src/adapters/kubernetes/credentials-from-kubeconfig.ts';
import { KubernetesClient } from '../../../src/adapters/kubernetes/kubernetes-client.ts';
import { SystemClock } from '../../../src/adapters/system/system-clock.ts';
import { toWebhookConfiguration, webhookName } from '../../../src/cli/manifests/webhook-configuration.ts';
import { dispositionOf, ignoreNotFound } from '../../../src/core/errors.ts';
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
  /** Makes the API server call the admission function until `close`. */
  registerWebhook(webhook: LocalWebhook): Promise<void>;
  close(): Promise<void>;
}

/** Where the admission function listens. */
export interface LocalWebhook {
  readonly deployment: string;
  readonly nodes: readonly string[];
  /** Plain HTTP on the loopback interface. */
  readonly localUrl: string;
  /** `https`, at an address that a cluster on this machine reaches. */
  readonly url: string;
  readonly certificateAuthority: string;
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
    registerWebhook: async ({ localUrl }) => api.setAdmissionUrl(localUrl),
    close: () => api.close(),
  };
};

const ownCluster = async (kubeconfigPath: string): Promise<LocalCluster> => {
  const credentials = await credentialsFromKubeconfig(kubeconfigPath);
  const client = new KubernetesClient(credentials, { clock: new SystemClock() });
  let registered: string | undefined;
  return {
    embedded: false,
    credentials,
    kubeconfigPath,
    kubeletClientCa: await clientCaOf(client, credentials),
    registerWebhook: async (webhook) => {
      await client.patch(webhookPath(webhook.deployment), 'apply', toWebhookConfiguration(webhook), {
        signal: within(),
        query: { fieldManager: 'svk', force: 'true' },
      });
      registered = webhook.deployment;
    },
    close: async () => {
      if (registered !== undefined) await ignoreNotFound(client.delete(webhookPath(registered), { signal: within() }));
      client.close();
    },
  };
};

const webhookPath = (deployment: string): string =>
  `/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/${webhookName(deployment)}`;

const within = (): AbortSignal => AbortSignal.timeout(10_000);

/** Where kubelets with delegated authentication find it too; a cluster that hides it most likely uses its only CA. */
const clientCaOf = async (client: KubernetesClient, credentials: KubernetesCredentials): Promise<string> => {
  const path = '/api/v1/namespaces/kube-system/configmaps/extension-apiserver-authentication';
  try {
    const configMap = await client.get<ConfigMap>(path, { signal: within() });
    return configMap.data?.['client-ca-file'] ?? credentials.certificateAuthority ?? '';
  } catch (error) {
    if (dispositionOf(error) === 'transient') throw error;
    return credentials.certificateAuthority ?? '';
  }
};
