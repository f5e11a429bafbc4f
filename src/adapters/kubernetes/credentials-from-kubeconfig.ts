import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { type Cluster, KubeConfig, type User } from '@kubernetes/client-node';
import { parse as parseYaml } from 'yaml';
import * as z from 'zod/mini';
import { PermanentError } from '../../core/errors.ts';
import { checkCredentials, type KubernetesCredentials } from './credentials.ts';

/**
 * The credentials of one context of a kubeconfig file, with every file it names read. Relative names count from the
 * kubeconfig's folder, as kubectl has it.
 * @throws {PermanentError} in one sentence that names the file and the fix.
 */
export const credentialsFromKubeconfig = async (
  file: string,
  { context: wanted }: { readonly context?: string } = {},
): Promise<KubernetesCredentials> => {
  const text = await read(file, `kubeconfig ${file}`);
  const config = parse(text, file);
  const name = wanted ?? config.getCurrentContext();
  const known = config.getContexts().map((context) => context.name);
  const context = config.getContextObject(name);
  if (!name) throw new PermanentError(`kubeconfig ${file} has no current-context; choose one of: ${known.join(', ')}`);
  if (!context) throw new PermanentError(`kubeconfig ${file} has no context "${name}"; it has: ${known.join(', ')}`);
  const cluster = config.getCluster(context.cluster);
  if (!cluster) throw new PermanentError(`kubeconfig ${file}: context "${name}" names a cluster that is not there`);
  const user = context.user ? config.getUser(context.user) : undefined;
  if (context.user && !user)
    throw new PermanentError(`kubeconfig ${file}: context "${name}" names a user that is not there`);
  refuseUnsupported(cluster, user ?? undefined, file);
  const credentials = await collect(cluster, user ?? undefined, tokenFileOf(text, context.user), file);
  checkCredentials(credentials, `kubeconfig ${file}`);
  return credentials;
};

const parse = (text: string, file: string): KubeConfig => {
  const config = new KubeConfig();
  try {
    config.loadFromString(text);
  } catch {
    // The parser's message would quote the text around the fault, which may be a key.
    throw new PermanentError(
      `kubeconfig ${file} is not a kubeconfig: it must be YAML with clusters, users and contexts`,
    );
  }
  return config;
};

const refuseUnsupported = (cluster: Cluster, user: User | undefined, file: string): void => {
  const refuse = (field: string, fix: string): never => {
    throw new PermanentError(`kubeconfig ${file} uses ${field}, which a Lambda function cannot; ${fix}`);
  };
  if (user?.exec || user?.authProvider)
    refuse(
      user.exec ? 'an exec plugin' : 'an auth-provider',
      'give a context with a client certificate, or the token of a ServiceAccount',
    );
  if (user?.username || user?.password) refuse('a password', 'give a client certificate or a token');
  if (user?.impersonateUser) refuse('impersonation', 'give a context of the user itself');
  if (cluster.skipTLSVerify) refuse('insecure-skip-tls-verify', 'give the CA as certificate-authority-data');
  if (cluster.proxyUrl) refuse('a proxy-url', 'give a server it can reach itself');
};

const tokenFiles = z.looseObject({
  users: z.array(
    z.looseObject({ name: z.string(), user: z.nullish(z.looseObject({ tokenFile: z.optional(z.string()) })) }),
  ),
});

/** kubectl's `tokenFile`, which client-node does not read; by kubectl's rule it wins over `token`. */
const tokenFileOf = (text: string, user: string | undefined): string | undefined =>
  tokenFiles.safeParse(parseYaml(text)).data?.users.find(({ name }) => name === user)?.user?.tokenFile;

const collect = async (
  cluster: Cluster,
  user: User | undefined,
  tokenFile: string | undefined,
  file: string,
): Promise<KubernetesCredentials> => {
  const material = async (field: string, data?: string, name?: string): Promise<string | undefined> => {
    if (data) return Buffer.from(data, 'base64').toString('utf8');
    return name ? read(path.resolve(path.dirname(file), name), `kubeconfig ${file}: ${field} ${name}`) : undefined;
  };
  const certificateAuthority = await material('certificate-authority', cluster.caData, cluster.caFile);
  const clientCertificate = await material('client-certificate', user?.certData, user?.certFile);
  const clientKey = await material('client-key', user?.keyData, user?.keyFile);
  const token = ((await material('tokenFile', undefined, tokenFile)) ?? user?.token)?.trim();
  return {
    server: cluster.server,
    ...(certificateAuthority && { certificateAuthority }),
    ...(clientCertificate && { clientCertificate }),
    ...(clientKey && { clientKey }),
    ...(token && { token }),
    ...(cluster.tlsServerName && { tlsServerName: cluster.tlsServerName }),
  };
};

const read = async (file: string, what: string): Promise<string> => {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new PermanentError(`${what} cannot be read; check the name and its permissions`, { cause });
  }
};
