import { stat } from 'node:fs/promises';
import path from 'node:path';
import type { Clock } from '../../core/clock.ts';
import { PermanentError } from '../../core/errors.ts';
import type { KubernetesCredentials } from './credentials.ts';
import { collectCredentials, refuseUnsupported, resolved } from './credentials-from-kubeconfig.ts';
import { readKubeconfig, readText } from './kubeconfig.ts';
import { fileTokens, type TokenSource } from './token-source.ts';

/** How a process that stays reaches its API server: credentials, and tokens that are renewed while it runs. */
export interface Connection {
  readonly credentials: KubernetesCredentials;
  /** Instead of a token in the credentials. */
  readonly tokens?: TokenSource;
  /** Where they come from, for messages: `kubeconfig ./admin.conf`, `the service account of this pod`. */
  readonly source: string;
  /** Namespace of the context, where it has one. */
  readonly namespace?: string;
}

export interface ConnectionOptions {
  readonly clock: Clock;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Of the kubeconfig; its current one where it is left out. */
  readonly context?: string;
  /** Folder of the service account; where a pod has it. */
  readonly serviceAccount?: string;
}

const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/**
 * By the kubeconfig file, or, where there is none of that name, by the service account of the pod this runs in; as
 * virtual-kubelet decides it. exec plugins and auth-providers are asked again whenever their token has run out.
 * @throws {PermanentError} in one sentence that names what is missing and the fix.
 */
export const openConnection = async (kubeconfig: string, options: ConnectionOptions): Promise<Connection> =>
  (await exists(kubeconfig)) ? fromKubeconfig(kubeconfig, options) : inCluster(kubeconfig, options);

const exists = async (file: string): Promise<boolean> => {
  if (file === '') return false;
  try {
    await stat(file);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return false;
    throw new PermanentError(`kubeconfig ${file} cannot be read; check the name and its permissions`, { cause: error });
  }
};

const fromKubeconfig = async (file: string, { clock, context }: ConnectionOptions): Promise<Connection> => {
  const selected = await readKubeconfig(file, context);
  refuseUnsupported(selected, 'svk', ['exec', 'auth-provider']);
  const { token, ...credentials } = await collectCredentials(selected);
  const { user, namespace } = selected;
  const from = { source: `kubeconfig ${file}`, ...(namespace !== undefined && { namespace }) };
  if (user?.exec || user?.['auth-provider']) {
    // Loaded only here: it takes longer to load than everything else together.
    const { pluginCredentials } = await import('./plugin-credentials.ts');
    const { tokens, ...certificate } = await pluginCredentials(selected, clock);
    return { credentials: { ...credentials, ...certificate }, ...from, ...(tokens && { tokens }) };
  }
  if (user?.tokenFile) return { credentials, tokens: fileTokens(resolved(file, user.tokenFile), clock), ...from };
  return { credentials: { ...credentials, ...(token && { token }) }, ...from };
};

const inCluster = async (
  kubeconfig: string,
  { clock, environment, serviceAccount = SERVICE_ACCOUNT }: ConnectionOptions,
): Promise<Connection> => {
  const { KUBERNETES_SERVICE_HOST: host, KUBERNETES_SERVICE_PORT: port = '443' } = environment;
  if (!host)
    throw new PermanentError(
      `kubeconfig ${kubeconfig || '(no name given)'} is not there, and this is no pod of a cluster: name a kubeconfig by --kubeconfig or KUBECONFIG`,
    );
  const token = path.join(serviceAccount, 'token');
  const authority = path.join(serviceAccount, 'ca.crt');
  const what = 'the service account of this pod';
  await readText(token, `${what}: ${token}`);
  return {
    credentials: {
      server: `https://${host.includes(':') ? `[${host}]` : host}:${port}`,
      certificateAuthority: await readText(authority, `${what}: ${authority}`),
    },
    tokens: fileTokens(token, clock),
    source: what,
  };
};
