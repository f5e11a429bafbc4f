import { timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { TLSSocket } from 'node:tls';
import type { ServiceAccountTokens } from './service-account-tokens.ts';
import type { UserInfo } from './user.ts';

const ADMIN: UserInfo = { username: 'kubernetes-admin', groups: ['system:masters', 'system:authenticated'] };
const ANONYMOUS: UserInfo = { username: 'system:anonymous', groups: ['system:unauthenticated'] };

/** Paths anybody may read, as on a real cluster. */
const PUBLIC_PATHS = ['/healthz', '/livez', '/readyz', '/version'];

/** Knows the server's own token, the ServiceAccount tokens it minted, and client certificates of its CA. */
export class Authenticator {
  readonly #adminToken: string;
  readonly #tokens: ServiceAccountTokens;

  constructor(adminToken: string, tokens: ServiceAccountTokens) {
    this.#adminToken = adminToken;
    this.#tokens = tokens;
  }

  /** The user behind a request; undefined is 401. Without credentials only the public paths are open. */
  identify(request: IncomingMessage, path: string): UserInfo | undefined {
    const header = request.headers.authorization;
    if (header !== undefined) {
      const token = /^Bearer\s+(\S+)$/i.exec(header)?.[1];
      return token === undefined ? undefined : this.userOf(token)?.user;
    }
    const certified = certificateUser(request);
    if (certified) return certified;
    return PUBLIC_PATHS.some((open) => path === open || path.startsWith(`${open}/`)) ? ANONYMOUS : undefined;
  }

  /** The user of a bearer token with the token's audiences (none for the admin's). */
  userOf(token: string): { readonly user: UserInfo; readonly audiences: readonly string[] | undefined } | undefined {
    return sameSecret(token, this.#adminToken) ? { user: ADMIN, audiences: undefined } : this.#tokens.recognise(token);
  }
}

const sameSecret = (left: string, right: string): boolean => {
  const [a, b] = [Buffer.from(left), Buffer.from(right)];
  return a.length === b.length && timingSafeEqual(a, b);
};

/** CN is the user, each O a group. The TLS layer has checked the certificate against our CA. */
const certificateUser = ({ socket }: IncomingMessage): UserInfo | undefined => {
  if (!(socket instanceof TLSSocket) || !socket.authorized) return undefined;
  const { subject } = socket.getPeerCertificate();
  const names: { readonly CN?: string | string[]; readonly O?: string | string[] } = subject ?? {};
  const username = [names.CN].flat()[0];
  if (username === undefined) return undefined;
  const groups = [names.O].flat().filter((group) => group !== undefined);
  return { username, groups: [...groups, 'system:authenticated'] };
};
