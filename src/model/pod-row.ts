import type { Attempt } from './attempt.ts';
import type { PodIdentity } from './pod-identity.ts';
import type { Workload } from './workload.ts';

/** What we remember of one pod: one row, keyed by UID. All times in milliseconds since the epoch. */
export interface PodRow {
  readonly pod: PodIdentity;
  readonly node: string;
  /** Grows with every wake. */
  readonly wanted: number;
  /** `wanted` as the claim's holder saw it. */
  readonly seen: number;
  readonly claim?: Claim;
  /**
   * Answered by `claim` only: the end of another holder's claim that ran out without a release. Its last request may
   * still arrive until five minutes after.
   */
  readonly abandonedClaimUntil?: number;
  /** When the pod must be looked at again without anybody asking; absent when nothing is due. */
  readonly nextCheckAt?: number;
  /** resourceVersion of the pod when it was last reconciled: resync wakes only what moved. */
  readonly resourceVersion?: string;
  /** The newest observation of each workload of the last attempts, by workload id; written by wakes. */
  readonly observations: Readonly<Record<string, Workload>>;
  /** Written by claim holders only. */
  readonly state: PodState;
}

export interface Claim {
  readonly id: string;
  readonly until: number;
}

/** The claim holder's memory of a pod. Must stay serialisable as JSON and free of secrets. */
export interface PodState {
  /** The last two attempts, oldest first. */
  readonly attempts: readonly Attempt[];
  /** Restarts so far, by container name. */
  readonly restarts: Readonly<Record<string, number>>;
  /** Written before anything is stopped. */
  readonly deletion?: { readonly requestedAt: number; readonly graceSeconds: number; readonly stopSentAt?: number };
  /** Consecutive answers that the pod (or, by workload id, the workload) is not there. */
  readonly podAbsentSince?: { readonly at: number; readonly reads: number };
  readonly missing?: Readonly<Record<string, { readonly at: number; readonly reads: number }>>;
  /** Hash of the status the API server last took from us. */
  readonly pushedStatus?: string;
  /** Keys of the events already recorded, so that a repeated reconcile records none twice. */
  readonly recorded?: readonly string[];
  /** When the next launch may be tried (CrashLoopBackOff, ImagePullBackOff, capacity), and why the last one was not. */
  readonly backOff?: {
    readonly until: number;
    readonly seconds: number;
    readonly reason: string;
    readonly message: string;
  };
}
