import type { UserInfo } from '../ports/kubernetes.ts';

/**
 * How a caller proved who it is. `certificate`: verified by the transport, which is how the API server comes.
 * `token`: a bearer token the API server vouched for. `anonymous`: only where the operator allowed it by name.
 */
export type CallerKind = 'certificate' | 'token' | 'anonymous';

/** Who is calling. */
export interface Caller {
  readonly kind: CallerKind;
  readonly user: UserInfo;
}
