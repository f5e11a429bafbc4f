import type { KubernetesCredentials } from '../../adapters/kubernetes/credentials.ts';
import { createKubernetes } from '../../adapters/kubernetes/kubernetes-api.ts';
import { KubernetesClient } from '../../adapters/kubernetes/kubernetes-client.ts';
import type { Clock } from '../../core/clock.ts';
import { PermanentError } from '../../core/errors.ts';
import { endOfCredentials } from './lifetime.ts';

const DAY_MS = 86_400_000;

/** @throws {PermanentError} where the functions could not use the credentials: what is known without asking anybody. */
export const refuseUnusable = (credentials: KubernetesCredentials, now: number): void => {
  const { hostname } = new URL(credentials.server);
  if (hostname === 'localhost' || hostname === '[::1]' || hostname.startsWith('127.'))
    throw new PermanentError(
      `the server ${credentials.server} is this machine, which no function reaches: give its address with --server`,
    );
  if (!credentials.eks && credentials.token === undefined && credentials.clientCertificate === undefined)
    throw new PermanentError(
      'the kubeconfig has neither a token nor a client certificate: name a context that has one',
    );
  const end = endOfCredentials(credentials);
  if (end !== undefined && end - now < DAY_MS)
    throw new PermanentError(
      `the credentials end at ${new Date(end).toISOString()}, and the node with them: ` +
        'give a client certificate or a token that lasts, as `svk manifests` makes one',
    );
};

/**
 * Connects as the functions will. Answers the UID of the cluster.
 * @throws what the API server says, with the remedy where the identity has no rights yet.
 */
export const tryCredentials = async (
  credentials: KubernetesCredentials,
  clock: Clock,
  signal: AbortSignal,
): Promise<string> => {
  const client = new KubernetesClient(credentials, { clock });
  try {
    const { metadata } = await createKubernetes(client).cluster.namespace('kube-system', signal);
    return metadata?.uid ?? '';
  } catch (error) {
    if (error instanceof PermanentError)
      throw new PermanentError(`${error.message}; if that is a 403, apply \`svk manifests\` first`, { cause: error });
    throw error;
  } finally {
    client.close();
  }
};
