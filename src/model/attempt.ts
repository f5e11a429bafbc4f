import type { LaunchRequest } from './launch.ts';
import type { Workload } from './workload.ts';

/**
 * One attempt to run a pod, as its row remembers it. `launch` is the intent, written before the first request; it goes
 * once the outcome is known. An attempt with neither `launch` nor `workloadId` waits for its launch.
 */
export interface Attempt {
  readonly attempt: number;
  readonly try: number;
  readonly launch?: LaunchIntent;
  /** Set as soon as the workload is known. */
  readonly workloadId?: string;
  /** Milliseconds since the epoch; when the workload was first known. */
  readonly launchedAt?: number;
  /** The newest state of the workload a claim holder has seen. */
  readonly observed?: Workload;
  /** When that was last known to be fresh, in milliseconds since the epoch. */
  readonly seenAt?: number;
  /** Set once the provider has forgotten the workload and its end was never seen. */
  readonly lostAt?: number;
  /** The image asked for, by container name: an edit in place reaches the next attempt only. */
  readonly images?: Readonly<Record<string, string>>;
  /**
   * The end of the log by container name, of those that failed and whose termination message falls back to it; empty where
   * there was none to be had.
   */
  readonly logTails?: Readonly<Record<string, string>>;
  /** How often the health of its containers is read, in milliseconds; only where something checks it. */
  readonly healthEveryMs?: number;
  /** Containers whose check has passed once. */
  readonly passed?: readonly string[];
  /** Since when a container's check fails, by its name. */
  readonly unhealthySince?: Readonly<Record<string, number>>;
  /** The probe for whose failure the workload is stopped, and when that was decided. */
  readonly failedProbe?: {
    readonly container: string;
    readonly probe: 'liveness' | 'startup';
    readonly at: number;
  };
}

export interface LaunchIntent {
  readonly request: LaunchRequest;
  /** Milliseconds since the epoch. Both undefined until the first request is about to be sent. */
  readonly firstSentAt?: number;
  readonly lastSentAt?: number;
  /**
   * True once any request under this token went unanswered: a later refusal does not settle it. Written as true before
   * each request, so that it stays true where the sender dies.
   */
  readonly unknown: boolean;
}
