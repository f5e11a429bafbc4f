import type { Workload } from './workload.ts';

/** Names one launch: the same token never starts two workloads. */
export interface LaunchToken {
  readonly podUid: string;
  readonly attempt: number;
  readonly try: number;
}

/** What a launch sends, byte for byte. Opaque to everybody but its provider; holds no secret; stored as the intent. */
export interface LaunchRequest {
  readonly body: string;
  /** Milliseconds since the epoch: the request must not be sent again from then on. */
  readonly validUntil?: number;
}

/**
 * - `started`: the workload exists (also when an earlier request of this token had made it).
 * - `refused`: nothing was started by this request. `final` tells whether the refusal settles the token, so that a new
 *   one may be used; throttles and missing permissions are not final.
 * - `unknown`: no answer; the same token again, or a look-up.
 */
export type LaunchResult =
  | { readonly kind: 'started'; readonly workload: Workload }
  | { readonly kind: 'refused'; readonly cause: RefusalCause; readonly final: boolean; readonly message: string }
  | { readonly kind: 'unknown'; readonly message: string };

/**
 * `capacity` and `quota` come from the provider's stock, `throttled` from its rate limits, `configuration` needs the
 * operator, `invalid` the pod's author.
 */
export type RefusalCause = 'capacity' | 'quota' | 'throttled' | 'configuration' | 'invalid';
