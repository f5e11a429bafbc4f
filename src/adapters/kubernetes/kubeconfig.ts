import { readFile } from 'node:fs/promises';
import { parse as parseYaml } from 'yaml';
import * as z from 'zod/mini';
import { PermanentError } from '../../core/errors.ts';

const text = z.optional(z.string());

const cluster = z.looseObject({
  server: z.string(),
  'certificate-authority': text,
  'certificate-authority-data': text,
  'tls-server-name': text,
  'insecure-skip-tls-verify': z.optional(z.boolean()),
  'proxy-url': text,
});

const user = z.looseObject({
  'client-certificate': text,
  'client-certificate-data': text,
  'client-key': text,
  'client-key-data': text,
  token: text,
  tokenFile: text,
  username: text,
  password: text,
  as: text,
  exec: z.optional(z.unknown()),
  'auth-provider': z.optional(z.unknown()),
});

const kubeconfig = z.looseObject({
  'current-context': z.nullish(z.string()),
  contexts: z.nullish(
    z.array(
      z.looseObject({ name: z.string(), context: z.looseObject({ cluster: z.string(), user: text, namespace: text }) }),
    ),
  ),
  clusters: z.nullish(z.array(z.looseObject({ name: z.string(), cluster }))),
  users: z.nullish(z.array(z.looseObject({ name: z.string(), user: z.nullish(user) }))),
});

export type KubeconfigCluster = z.infer<typeof cluster>;
export type KubeconfigUser = z.infer<typeof user>;

/** One context of a kubeconfig file with what it names. Names of files in it count from the kubeconfig's folder. */
export interface KubeconfigContext {
  readonly file: string;
  /** The whole file. */
  readonly text: string;
  readonly context: string;
  /** Where its owner works. */
  readonly namespace?: string;
  readonly cluster: KubeconfigCluster;
  readonly user: KubeconfigUser | undefined;
}

/**
 * Reads one context of a kubeconfig file, the current one where none is named.
 * @throws {PermanentError} in one sentence that names the file and the fix, and quotes nothing of it that may be secret.
 */
export const readKubeconfig = async (file: string, wanted?: string): Promise<KubeconfigContext> => {
  const content = await readText(file, `kubeconfig ${file}`);
  const parsed = kubeconfig.safeParse(yamlOf(content));
  if (!parsed.success)
    throw new PermanentError(
      `kubeconfig ${file} is not a kubeconfig: it must be YAML with clusters, users and contexts`,
    );
  const { contexts, clusters, users } = parsed.data;
  const name = wanted ?? parsed.data['current-context'];
  const known = (contexts ?? []).map((one) => one.name).join(', ');
  if (!name) throw new PermanentError(`kubeconfig ${file} has no current-context; choose one of: ${known}`);
  const context = contexts?.find((one) => one.name === name)?.context;
  if (!context) throw new PermanentError(`kubeconfig ${file} has no context "${name}"; it has: ${known}`);
  const found = clusters?.find((one) => one.name === context.cluster);
  if (!found) throw new PermanentError(`kubeconfig ${file}: context "${name}" names a cluster that is not there`);
  const owner = users?.find((one) => one.name === context.user);
  if (context.user && !owner)
    throw new PermanentError(`kubeconfig ${file}: context "${name}" names a user that is not there`);
  const { namespace } = context;
  return {
    file,
    text: content,
    context: name,
    ...(namespace && { namespace }),
    cluster: found.cluster,
    user: owner?.user ?? undefined,
  };
};

/** @throws {PermanentError} that says `what` cannot be read. */
export const readText = async (file: string, what: string): Promise<string> => {
  try {
    return await readFile(file, 'utf8');
  } catch (cause) {
    throw new PermanentError(`${what} cannot be read; check the name and its permissions`, { cause });
  }
};

const yamlOf = (content: string): unknown => {
  try {
    return parseYaml(content);
  } catch {
    // The parser's message would quote the text around the fault, which may be a key.
    return undefined;
  }
};
