import type { Clock } from '../core/clock.ts';
import { sha256Hex, stableJson } from '../core/digest.ts';
import type { AccessApi, AccessAttributes, UserInfo } from '../ports/kubernetes.ts';
import { ExpiringCache } from './expiring-cache.ts';

// kubelet's --authorization-webhook-cache-authorized-ttl and -unauthorized-ttl.
const ALLOWED_MS = 300_000;
const DENIED_MS = 30_000;
const CAPACITY = 1024;

/** Asks the API server (SubjectAccessReview) what a user may do, whoever the user is. */
export class Authorizer {
  readonly #access: Pick<AccessApi, 'reviewAccess'>;
  readonly #answers: ExpiringCache<boolean>;

  constructor(access: Pick<AccessApi, 'reviewAccess'>, clock: Clock) {
    this.#access = access;
    this.#answers = new ExpiringCache(clock, CAPACITY);
  }

  /** Rejects where the review itself failed: nobody may pass then, and nothing is remembered. */
  async allows(user: UserInfo, attributes: AccessAttributes, signal: AbortSignal): Promise<boolean> {
    const key = sha256Hex(stableJson({ user, attributes }));
    const known = this.#answers.get(key);
    if (known !== undefined) return known.value;
    const allowed = await this.#access.reviewAccess(user, attributes, signal);
    this.#answers.set(key, allowed, allowed ? ALLOWED_MS : DENIED_MS);
    return allowed;
  }
}
