import { createHash, generateKeyPairSync, type KeyObject, sign, verify } from 'node:crypto';
import * as z from 'zod/mini';
import type { Clock, Random } from '../../../../src/core/clock.ts';
import { isObject, type KubernetesObject } from '../model/object.ts';
import type { Store } from '../store/store.ts';
import type { UserInfo } from './user.ts';

/** `iss` of the tokens and the default audience. */
export const ISSUER = 'https://kubernetes.default.svc.cluster.local';

/** The pod token every kubelet asks for; such tokens live a year, as a real API server extends them. */
const POD_TOKEN_SECONDS = 3_607;
const EXTENDED_SECONDS = 31_536_000;

const reference = z.object({ name: z.string(), uid: z.string() });
const claimsSchema = z.object({
  aud: z.array(z.string()),
  exp: z.int(),
  jti: z.string(),
  'kubernetes.io': z.object({
    namespace: z.string(),
    serviceaccount: reference,
    pod: z.optional(reference),
    node: z.optional(reference),
    secret: z.optional(reference),
  }),
});
type Claims = z.infer<typeof claimsSchema>;

/** What a token is bound to beside its ServiceAccount. */
export interface BoundObjects {
  readonly pod?: { readonly name: string; readonly uid: string } | undefined;
  readonly node?: { readonly name: string; readonly uid: string } | undefined;
  readonly secret?: { readonly name: string; readonly uid: string } | undefined;
}

export interface Authenticated {
  readonly user: UserInfo;
  readonly audiences: readonly string[];
}

/** Mints and recognises ServiceAccount tokens: JWTs signed with a key that lives as long as this server. */
export class ServiceAccountTokens {
  readonly #store: Store;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #privateKey: KeyObject;
  readonly #publicKey: KeyObject;
  readonly #keyId: string;

  constructor(store: Store, clock: Clock, random: Random) {
    this.#store = store;
    this.#clock = clock;
    this.#random = random;
    const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
    this.#privateKey = privateKey;
    this.#publicKey = publicKey;
    const spki = publicKey.export({ type: 'spki', format: 'der' });
    this.#keyId = createHash('sha256').update(spki).digest('base64url');
  }

  mint(account: KubernetesObject, audiences: readonly string[], seconds: number, bound: BoundObjects): string {
    const { name = '', namespace = '', uid = '' } = account.metadata;
    const now = Math.floor(this.#clock.now() / 1_000);
    const isExtended = seconds === POD_TOKEN_SECONDS && audiences.length === 1 && audiences[0] === ISSUER;
    const claims = {
      aud: audiences,
      exp: now + (isExtended ? EXTENDED_SECONDS : seconds),
      iat: now,
      iss: ISSUER,
      jti: this.#random.uuid(),
      'kubernetes.io': {
        namespace,
        ...bound,
        serviceaccount: { name, uid },
        ...(isExtended ? { warnafter: now + seconds } : {}),
      },
      nbf: now,
      sub: `system:serviceaccount:${namespace}:${name}`,
    };
    const head = `${encode({ alg: 'ES256', kid: this.#keyId })}.${encode(claims)}`;
    const signature = sign('sha256', Buffer.from(head), { key: this.#privateKey, dsaEncoding: 'ieee-p1363' });
    return `${head}.${signature.toString('base64url')}`;
  }

  /** Whose token it is, where it is ours, in time, and account and bound pod are still there. */
  recognise(token: string): Authenticated | undefined {
    const claims = this.#verified(token);
    if (!claims || claims.exp * 1_000 <= this.#clock.now()) return undefined;
    const { namespace, serviceaccount, pod, node } = claims['kubernetes.io'];
    if (!this.#isThere('serviceaccounts', namespace, serviceaccount)) return undefined;
    if (pod && !this.#isThere('pods', namespace, pod)) return undefined;
    return {
      audiences: claims.aud,
      user: {
        username: `system:serviceaccount:${namespace}:${serviceaccount.name}`,
        uid: serviceaccount.uid,
        groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, 'system:authenticated'],
        extra: {
          'authentication.kubernetes.io/credential-id': [`JTI=${claims.jti}`],
          ...(node
            ? {
                'authentication.kubernetes.io/node-name': [node.name],
                'authentication.kubernetes.io/node-uid': [node.uid],
              }
            : {}),
          ...(pod
            ? { 'authentication.kubernetes.io/pod-name': [pod.name], 'authentication.kubernetes.io/pod-uid': [pod.uid] }
            : {}),
        },
      },
    };
  }

  #isThere(
    resource: string,
    namespace: string,
    { name, uid }: { readonly name: string; readonly uid: string },
  ): boolean {
    return this.#store.get(resource, namespace, name)?.metadata.uid === uid;
  }

  #verified(token: string): Claims | undefined {
    const [head = '', payload = '', signature = ''] = token.split('.');
    const key = { key: this.#publicKey, dsaEncoding: 'ieee-p1363' as const };
    if (!verify('sha256', Buffer.from(`${head}.${payload}`), key, Buffer.from(signature, 'base64url')))
      return undefined;
    const parsed = claimsSchema.safeParse(decode(payload));
    return parsed.success ? parsed.data : undefined;
  }
}

const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');

const decode = (text: string): unknown => {
  const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  return isObject(value) ? value : undefined;
};
