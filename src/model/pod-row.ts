import type { Attempt } from './attempt.ts';
import type { PodIdentity } from './pod-identity.ts';
import type { Problem } from './problem.ts';
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
  /** Set once a lost row has been rebuilt from the provider's own list, or needed no rebuilding. */
  readonly recovered?: boolean;
  /** Answers of the provider that it knows nothing of a pod that was once started. */
  readonly notFound?: Absence;
  /** Written before anything is stopped for it. `cause` tells a deletion that was seen from one that was concluded. */
  readonly deletion?: {
    readonly requestedAt: number;
    readonly graceSeconds: number;
    readonly cause?: 'requested' | 'absent';
    /** When the API object was told to go. */
    readonly sentAt?: number;
  };
  /** When the stop of a workload was last asked for, by its id. */
  readonly stops?: Readonly<Record<string, number>>;
  /** Consecutive answers that the pod (or, by workload id, the workload) is not there; `lastAt` is the newest. */
  readonly podAbsentSince?: Absence;
  readonly missing?: Readonly<Record<string, Absence>>;
  /** The terminal phase the API server holds. */
  readonly finished?: 'Succeeded' | 'Failed';
  /** Our own verdict over the pod; it becomes phase Failed as soon as nothing runs any more. */
  readonly failure?: { readonly reason: string; readonly message: string; readonly at: number };
  /** What cannot be had, found at `at` for the pod with this fingerprint. */
  readonly refusal?: {
    readonly fingerprint: string;
    /** Of the status and the event. */
    readonly reason?: string;
    readonly problems: readonly Problem[];
    readonly at: number;
  };
  /** Names the status the API server last took from us, and the resourceVersion it then had. */
  readonly pushedStatus?: string;
  /** Keys of the events already recorded, so that a repeated reconcile records none twice. */
  readonly recorded?: readonly string[];
  /** When the next launch may be tried (CrashLoopBackOff, ImagePullBackOff, capacity), and why the last one was not. */
  readonly backOff?: BackOff;
  /** kubelet's crash back-off, by container name: the wait after the next crash, and when that was set. */
  readonly crashes?: Readonly<Record<string, { readonly seconds: number; readonly at: number }>>;
  /** No new launch token before: a request of a holder that vanished may still arrive until then. */
  readonly noNewTokenBefore?: number;
  /** The end of a claim whose holder let go of it on purpose, for the next one to take. */
  readonly passedOnUntil?: number;
  /**
   * Set while nothing is due but to read again whether the running workload still is as it was. Whoever finds that it is may
   * put the pod off, not beyond `otherwiseAt`.
   */
  readonly rereadOnly?: { readonly otherwiseAt?: number };
  /** When an unanswered launch was last looked up. */
  readonly lookedUpAt?: number;
  /** `wanted` as of the last release: how many wakes have come since. */
  readonly handled?: number;
  /** Reconciles in a row that ended with an error. */
  readonly errors?: number;
}

export interface Absence {
  readonly at: number;
  readonly lastAt: number;
  readonly reads: number;
}

export interface BackOff {
  readonly until: number;
  readonly seconds: number;
  /** When it began. */
  readonly at: number;
  readonly reason: string;
  readonly message: string;
}
