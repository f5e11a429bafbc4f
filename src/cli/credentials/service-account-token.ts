import { openConnection } from '../../adapters/kubernetes/connection.ts';
import type { KubernetesCredentials } from '../../adapters/kubernetes/credentials.ts';
import { createKubernetes } from '../../adapters/kubernetes/kubernetes-api.ts';
import { KubernetesClient } from '../../adapters/kubernetes/kubernetes-client.ts';
import type { Clock } from '../../core/clock.ts';
import { NotFoundError, PermanentError } from '../../core/errors.ts';
import type { Secret } from '../../model/kubernetes.ts';

const FILLED_WITHIN_MS = 15_000;
const ASK_EVERY_MS = 500;

export interface ServiceAccountOptions {
  readonly kubeconfig: string;
  readonly context: string | undefined;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/**
 * The token that lasts, of the Secret that `svk manifests` makes beside its ServiceAccount, read with the operator's own
 * kubeconfig (exec plugins too). Waits until the control plane has put it there.
 * @throws {PermanentError} where the Secret is not there, or stays empty.
 */
export const serviceAccountCredentials = async (
  { namespace, name }: { readonly namespace: string; readonly name: string },
  { kubeconfig, context, environment, clock, signal }: ServiceAccountOptions,
): Promise<KubernetesCredentials> => {
  const { credentials, tokens } = await openConnection(kubeconfig, {
    clock,
    environment,
    ...(context !== undefined && { context }),
  });
  const client = new KubernetesClient(credentials, { clock, ...(tokens && { tokens }) });
  try {
    const { sources } = createKubernetes(client);
    const secret = await filled(() => sources.secret(namespace, name, signal), { namespace, name, clock, signal });
    return {
      server: credentials.server,
      certificateAuthority: secret.authority ?? credentials.certificateAuthority,
      token: secret.token,
      ...(credentials.tlsServerName !== undefined && { tlsServerName: credentials.tlsServerName }),
    };
  } finally {
    client.close();
  }
};

const filled = async (
  read: () => Promise<Secret>,
  at: { readonly namespace: string; readonly name: string; readonly clock: Clock; readonly signal: AbortSignal },
): Promise<{ readonly token: string; readonly authority: string | undefined }> => {
  const { namespace, name, clock, signal } = at;
  for (const until = clock.now() + FILLED_WITHIN_MS; ; await clock.sleep(ASK_EVERY_MS, signal)) {
    const { data = {} } = await read().catch((error: unknown) => {
      if (!(error instanceof NotFoundError)) throw error;
      throw new PermanentError(`there is no Secret ${name} in namespace ${namespace}: apply \`svk manifests\` first`);
    });
    const token = decoded(data['token']);
    if (token !== undefined) return { token, authority: decoded(data['ca.crt']) };
    if (clock.now() >= until)
      throw new PermanentError(
        `Secret ${name} in namespace ${namespace} has no token: is its ServiceAccount there, and does the controller manager run?`,
      );
  }
};

const decoded = (base64: string | undefined): string | undefined =>
  base64 ? Buffer.from(base64, 'base64').toString('utf8') : undefined;
