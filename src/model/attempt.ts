import type { LaunchRequest } from './launch.ts';

/**
 * One attempt to run a pod, as its row remembers it. `launch` is the intent, written before the first request; it goes
 * once the outcome is known.
 */
export interface Attempt {
  readonly attempt: number;
  readonly try: number;
  readonly launch?: LaunchIntent;
  /** Set as soon as the workload is known. */
  readonly workloadId?: string;
  /** Milliseconds since the epoch; when the workload was first known. */
  readonly launchedAt?: number;
}

export interface LaunchIntent {
  readonly request: LaunchRequest;
  /** Milliseconds since the epoch. Both undefined until the first request is about to be sent. */
  readonly firstSentAt?: number;
  readonly lastSentAt?: number;
  /** True once any request under this token went unanswered: a later refusal does not settle it. */
  readonly unknown: boolean;
}
