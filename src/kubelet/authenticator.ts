import type { Clock } from '../core/clock.ts';
import { sha256Hex } from '../core/digest.ts';
import { TOKEN_PROTOCOL } from '../core/websocket-protocols.ts';
import type { AccessApi, UserInfo } from '../ports/kubernetes.ts';
import { bearerTokenOf } from './bearer-token.ts';
import type { Caller } from './caller.ts';
import { ExpiringCache } from './expiring-cache.ts';
import type { KubeletRequest } from './http.ts';

// kubelet's --authentication-token-webhook-cache-ttl; a refusal is asked again sooner, so that a token the API server
// had not heard of yet is not shut out for long.
const ACCEPTED_MS = 120_000;
const REFUSED_MS = 30_000;
const CAPACITY = 1024;
const AUTHENTICATED = 'system:authenticated';

/** Says who is calling: by verified client certificate, else by bearer token (TokenReview). There is no third way. */
export class Authenticator {
  readonly #access: Pick<AccessApi, 'reviewToken'>;
  readonly #tokens: ExpiringCache<UserInfo | undefined>;

  constructor(access: Pick<AccessApi, 'reviewToken'>, clock: Clock) {
    this.#access = access;
    this.#tokens = new ExpiringCache(clock, CAPACITY);
  }

  /** Undefined where the request proves nothing. Rejects where the review itself failed: nobody may pass then. */
  async authenticate(request: KubeletRequest): Promise<Caller | undefined> {
    const subject = request.clientCertificate?.subject;
    if (subject !== undefined && subject.commonName !== '') {
      const user = { username: subject.commonName, groups: subject.organizations };
      return { kind: 'certificate', user: asAuthenticated(user) };
    }
    const token = bearerTokenOf(request);
    if (token === undefined) return undefined;
    const user = await this.#review(token, request.signal);
    return user === undefined ? undefined : { kind: 'token', user: asAuthenticated(user) };
  }

  async #review(token: string, signal: AbortSignal): Promise<UserInfo | undefined> {
    // Tokens are secrets: only their digest is kept.
    const key = sha256Hex(token);
    const known = this.#tokens.get(key);
    if (known !== undefined) return known.value;
    const user = await this.#access.reviewToken(token, signal);
    this.#tokens.set(key, user, user === undefined ? REFUSED_MS : ACCEPTED_MS);
    return user;
  }
}

/** True where the request carries something that claims an identity, whether it holds or not. */
export const hasCredentials = (request: KubeletRequest): boolean =>
  request.clientCertificate !== undefined ||
  request.headers['authorization'] !== undefined ||
  (request.headers['sec-websocket-protocol'] ?? '').includes(TOKEN_PROTOCOL);

const asAuthenticated = (user: UserInfo): UserInfo =>
  user.groups.includes(AUTHENTICATED) ? user : { ...user, groups: [...user.groups, AUTHENTICATED] };
