import { readFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { rootCertificates } from 'node:tls';
import { openConnection } from '../../adapters/kubernetes/connection.ts';
import { HttpTransport } from '../../adapters/kubernetes/http-transport.ts';
import { KubernetesClient } from '../../adapters/kubernetes/kubernetes-client.ts';
import type { Clock } from '../../core/clock.ts';
import { InvalidError, NotFoundError, PermanentError } from '../../core/errors.ts';
import type { Node, Pod } from '../../model/kubernetes.ts';

export interface PluginOptions {
  /** That of the kubeconfig's context where it is left out. */
  readonly namespace?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  /** Instead of the address of the pod's node: `https://host:port`. */
  readonly endpoint?: string;
  /** Instead of the kubeconfig's. */
  readonly token?: string;
  readonly certificateAuthority?: string;
}

/** A pod, and who answers for it as its kubelet. To be closed. */
export interface PodEndpoint {
  readonly namespace: string;
  readonly name: string;
  /** The asked for one, else the pod's first. */
  readonly container: string;
  readonly kubelet: HttpTransport;
  /** The pod as it is now; undefined once it is gone. */
  pod(signal: AbortSignal): Promise<Pod | undefined>;
  close(): void;
}

const USER_AGENT = 'kubectl-svk';

/**
 * Finds the endpoint of the pod's node and the token that the caller has for the cluster. @throws {NotFoundError} no such
 * pod or container. @throws {PermanentError} for what the caller must mend.
 */
export const openPodEndpoint = async (
  name: string,
  container: string | undefined,
  options: PluginOptions,
  context: { readonly clock: Clock; readonly environment: Readonly<Record<string, string | undefined>> },
  signal: AbortSignal,
): Promise<PodEndpoint> => {
  const { clock, environment } = context;
  const file = options.kubeconfig ?? environment['KUBECONFIG'] ?? path.join(homedir(), '.kube', 'config');
  const { credentials, tokens, ...connection } = await openConnection(file, {
    clock,
    environment,
    ...(options.context !== undefined && { context: options.context }),
  });
  const namespace = options.namespace ?? connection.namespace ?? 'default';
  const client = new KubernetesClient(credentials, { clock, userAgent: USER_AGENT, ...(tokens && { tokens }) });
  const podPath = `/api/v1/namespaces/${encodeURIComponent(namespace)}/pods/${encodeURIComponent(name)}`;
  const pod = await client.get<Pod>(podPath, { signal });
  const server = options.endpoint ?? (await addressOf(pod, client, signal));
  const token = options.token ?? (tokens ? await tokens() : credentials.token);
  if (token === undefined) throw new PermanentError(NO_TOKEN);
  const own = options.certificateAuthority;
  const authorities = [
    ...rootCertificates,
    ...(credentials.certificateAuthority === undefined ? [] : [credentials.certificateAuthority]),
    ...(own === undefined ? [] : [await readFile(own, 'utf8')]),
  ];
  const kubelet = new HttpTransport(
    { server, token, certificateAuthority: authorities.join('\n') },
    { clock, userAgent: USER_AGENT },
  );
  return {
    namespace,
    name,
    container: containerOf(pod, container),
    kubelet,
    pod: (until) =>
      client.get<Pod>(podPath, { signal: until }).catch((error: unknown) => {
        if (error instanceof NotFoundError) return undefined;
        throw error;
      }),
    close: () => {
      kubelet.close();
      client.close();
    },
  };
};

const containerOf = ({ spec, metadata }: Pod, wanted: string | undefined): string => {
  const names = [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].map((one) => one.name);
  const [first = ''] = names;
  if (wanted === undefined) return first;
  if (names.includes(wanted)) return wanted;
  throw new NotFoundError(`container ${wanted} is not in pod ${metadata?.name ?? ''}: it has ${names.join(', ')}`);
};

const addressOf = async ({ spec, metadata }: Pod, client: KubernetesClient, signal: AbortSignal): Promise<string> => {
  if (!spec?.nodeName) throw new InvalidError(`pod ${metadata?.name ?? ''} is not on a node yet`);
  const { status } = await client.get<Node>(`/api/v1/nodes/${encodeURIComponent(spec.nodeName)}`, { signal });
  const port = status?.daemonEndpoints?.kubeletEndpoint?.Port;
  const address = ['InternalDNS', 'InternalIP', 'Hostname']
    .map((type) => status?.addresses?.find((one) => one.type === type)?.address)
    .find((one) => one !== undefined);
  if (address === undefined || !port)
    throw new PermanentError(`node ${spec.nodeName} tells no address of its kubelet: name it by --endpoint`);
  return `https://${address.includes(':') ? `[${address}]` : address}:${port}`;
};

const NO_TOKEN =
  'the kubeconfig has no bearer token, which is what the endpoint knows its callers by: give one by --token, such as $(kubectl create token NAME)';
