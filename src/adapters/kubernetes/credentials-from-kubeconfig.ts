import path from 'node:path';
import { PermanentError } from '../../core/errors.ts';
import { checkCredentials, type KubernetesCredentials } from './credentials.ts';
import { type KubeconfigContext, readKubeconfig, readText } from './kubeconfig.ts';

/**
 * The credentials of one context of a kubeconfig file, with every file it names read. Relative names count from the
 * kubeconfig's folder, as kubectl has it.
 * @throws {PermanentError} in one sentence that names the file and the fix.
 */
export const credentialsFromKubeconfig = async (
  file: string,
  { context }: { readonly context?: string } = {},
): Promise<KubernetesCredentials> => {
  const selected = await readKubeconfig(file, context);
  refuseUnsupported(selected, 'a Lambda function', []);
  return collectCredentials(selected);
};

/** Fields of a kubeconfig that only some of those who read it can use. */
export type KubeconfigFeature = 'exec' | 'auth-provider';

/** @throws {PermanentError} naming the first field that `who` cannot use, and what to give instead. */
export const refuseUnsupported = (
  { file, user, cluster }: KubeconfigContext,
  who: string,
  can: readonly KubeconfigFeature[],
): void => {
  const refuse = (field: string, fix: string): never => {
    throw new PermanentError(`kubeconfig ${file} uses ${field}, which ${who} cannot; ${fix}`);
  };
  const instead =
    'give a context with a client certificate, or the token of a ServiceAccount (EKS: svk credentials set --eks NAME)';
  if (user?.exec && !can.includes('exec')) refuse('an exec plugin', instead);
  if (user?.['auth-provider'] && !can.includes('auth-provider')) refuse('an auth-provider', instead);
  if (user?.username || user?.password) refuse('a password', 'give a client certificate or a token');
  if (user?.as) refuse('impersonation', 'give a context of the user itself');
  if (cluster['insecure-skip-tls-verify'])
    refuse('insecure-skip-tls-verify', 'give the CA as certificate-authority-data');
  if (cluster['proxy-url']) refuse('a proxy-url', 'give a server it can reach itself');
};

/** What the context says itself, files read. @throws {PermanentError} where a file is not there or parts do not fit. */
export const collectCredentials = async ({
  file,
  cluster,
  user,
}: KubeconfigContext): Promise<KubernetesCredentials> => {
  const material = async (field: string, data?: string, name?: string): Promise<string | undefined> => {
    if (data) return Buffer.from(data, 'base64').toString('utf8');
    return name ? readText(resolved(file, name), `kubeconfig ${file}: ${field} ${name}`) : undefined;
  };
  const authority = await material(
    'certificate-authority',
    cluster['certificate-authority-data'],
    cluster['certificate-authority'],
  );
  const clientCertificate = await material(
    'client-certificate',
    user?.['client-certificate-data'],
    user?.['client-certificate'],
  );
  const clientKey = await material('client-key', user?.['client-key-data'], user?.['client-key']);
  // By kubectl's rule the file wins.
  const token = ((await material('tokenFile', undefined, user?.tokenFile)) ?? user?.token)?.trim();
  const credentials: KubernetesCredentials = {
    server: cluster.server,
    ...(authority && { certificateAuthority: authority }),
    ...(clientCertificate && { clientCertificate }),
    ...(clientKey && { clientKey }),
    ...(token && { token }),
    ...(cluster['tls-server-name'] && { tlsServerName: cluster['tls-server-name'] }),
  };
  checkCredentials(credentials, `kubeconfig ${file}`);
  return credentials;
};

/** A file that a kubeconfig names. */
export const resolved = (kubeconfig: string, name: string): string => path.resolve(path.dirname(kubeconfig), name);
