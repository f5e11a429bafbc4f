import * as z from 'zod/mini';
import type { Secret } from '../../../model/kubernetes.ts';

/** One entry of a pull secret: who logs in where. `registry` is written as its author wrote it. */
export interface RegistryEntry {
  readonly registry: string;
  readonly username: string;
  readonly password: string;
}

/** What a pull secret holds, or why it is of no use. `fault` never shows a value. */
export type PullSecretContent =
  | { readonly ok: true; readonly entries: readonly RegistryEntry[] }
  | { readonly ok: false; readonly fault: string };

const text = z.optional(z.nullable(z.string()));
const entry = z.looseObject({ username: text, password: text, auth: text });
const registries = z.record(z.string(), entry);
const dockerConfigJson = z.looseObject({ auths: z.optional(z.nullable(registries)) });

/**
 * Reads a Secret of type `kubernetes.io/dockerconfigjson` or `kubernetes.io/dockercfg` by kubelet's rules: `auth` wins over
 * `username` and `password`, and one `auth` that cannot be read spoils the whole Secret. Entries without a user name and
 * password (of credential helpers, say) are left out.
 */
export const pullSecretContent = ({ type, data = {} }: Secret): PullSecretContent => {
  switch (type) {
    case 'kubernetes.io/dockerconfigjson':
      return contentOf(data['.dockerconfigjson'], '.dockerconfigjson', (json) => {
        const parsed = dockerConfigJson.safeParse(json);
        return parsed.success ? (parsed.data.auths ?? {}) : undefined;
      });
    case 'kubernetes.io/dockercfg':
      return contentOf(data['.dockercfg'], '.dockercfg', (json) => registries.safeParse(json).data);
    default:
      return {
        ok: false,
        fault: `is of type ${type ?? 'Opaque'}: make it by "kubectl create secret docker-registry"`,
      };
  }
};

const contentOf = (
  base64: string | undefined,
  key: string,
  read: (json: unknown) => z.infer<typeof registries> | undefined,
): PullSecretContent => {
  if (!base64) return { ok: false, fault: `has no key ${key}` };
  const found = read(jsonOf(Buffer.from(base64, 'base64').toString('utf8')));
  if (!found) return { ok: false, fault: `its key ${key} is no Docker configuration` };
  const entries: RegistryEntry[] = [];
  for (const [registry, { username, password, auth }] of Object.entries(found)) {
    const login = auth ? loginOf(auth) : { username: username ?? '', password: password ?? '' };
    if (!login) return { ok: false, fault: `its entry ${registry} has an auth that is not base64 of user:password` };
    if (login.username !== '' && login.password !== '') entries.push({ registry, ...login });
  }
  return { ok: true, entries };
};

/** Undefined for what is no JSON. */
const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};

const loginOf = (auth: string): { readonly username: string; readonly password: string } | undefined => {
  if (!/^[A-Za-z0-9+/]*={0,2}$/.test(auth)) return undefined;
  const login = Buffer.from(auth, 'base64').toString('utf8');
  const colon = login.indexOf(':');
  return colon === -1 ? undefined : { username: login.slice(0, colon), password: login.slice(colon + 1) };
};
