import type { PodWake } from '../model/messages.ts';
import type { PodIdentity } from '../model/pod-identity.ts';
import type { PodRow, PodState } from '../model/pod-row.ts';
import type { Workload } from '../model/workload.ts';

/**
 * Rows of pods: durable wakes, claims and the known-pods and timers indexes. Single-item conditional writes only; the
 * indexes are eventually consistent and only propose: the row decides.
 */
export interface PodStore {
  /**
   * One write: `wanted` grows. Creates the row where the message saw the pod (`bind`, `resync`, `watch`) and names its
   * node. Answers whether a reconcile is wanted; `unknown` where there is no row and none may be made.
   */
  wake(wake: PodWake): Promise<'wanted' | 'unknown'>;

  /**
   * One write: keeps the observation if its version is newer, and grows `wanted` if it also says anything new. Never
   * creates a row. Answers the pod it belongs to where a reconcile is wanted (also by an earlier message that nobody
   * has acted on: its worker may have died after this write), undefined where none is.
   */
  observe(workload: Workload): Promise<PodIdentity | undefined>;

  /**
   * One write: takes the pod for `claimId` until `until`, sets `seen = wanted` and `nextCheckAt = until`.
   * Undefined where another holds it or there is no row. Claiming again under the same id is the same claim.
   */
  claim(podUid: string, claim: ClaimRequest): Promise<PodRow | undefined>;

  /**
   * `wake` and `claim` in one write, where nobody holds the pod. Answers as `claim`; undefined where it could not be one
   * write: nothing was written then.
   */
  wakeAndClaim(wake: PodWake, claim: ClaimRequest): Promise<PodRow | undefined>;

  /**
   * `observe` and `claim` in one write, where the workload's row is there, nobody holds it, and the observation says
   * anything new. Answers as `claim`; undefined where it could not be one write: nothing was written then.
   */
  observeAndClaim(workload: Workload, claim: ClaimRequest): Promise<PodRow | undefined>;

  /**
   * Writes the state in the middle of a reconcile (an intent, an outcome) and, where given, moves the claim's end.
   * @throws {ConflictError} where the claim is not ours any more.
   */
  save(podUid: string, claimId: string, write: RowWrite): Promise<void>;

  /**
   * One write: new state, `nextCheckAt`, claim cleared; `undefined` where that succeeded. Requires that the claim is
   * ours and nobody woke the pod since `seen`. Where somebody did, a second write keeps the claim until `renewUntil`
   * (`nextCheckAt` too), sets `seen` = the `wanted` just read and writes the new state all the same: it is ours to
   * write. Answers the row as it then stands. Observations of stopped workloads older than the attempts in `state` go.
   * @throws {ConflictError} where the claim is not ours any more.
   */
  release(
    podUid: string,
    claimId: string,
    write: RowWrite & { readonly renewUntil: number },
  ): Promise<PodRow | undefined>;

  /** Removes the row. Requires that the claim is ours and nobody woke the pod since; answers as `release`. */
  forget(podUid: string, claimId: string, options: { readonly renewUntil: number }): Promise<PodRow | undefined>;

  get(podUid: string): Promise<PodRow | undefined>;

  /** Known pods of a node: what resync compares with. */
  knownPods(node: string): Promise<readonly KnownPod[]>;

  /**
   * Pods whose `nextCheckAt` has come, at most `limit`. Each was moved ahead to `until` by one conditional write before it
   * is answered, so that only one caller gets it.
   */
  takeDue(options: {
    readonly now: number;
    readonly until: number;
    readonly limit: number;
  }): Promise<readonly KnownPod[]>;

  /** One write: moves `nextCheckAt` to `to` where it still is `from` and nobody holds the pod. Answers whether it did. */
  postpone(known: KnownPod, check: { readonly from: number; readonly to: number }): Promise<boolean>;
}

/** A claim as it is asked for. Times in milliseconds since the epoch. */
export interface ClaimRequest {
  readonly id: string;
  readonly now: number;
  readonly until: number;
}

/** Fields left out stay as they are, but for `nextCheckAt` at release: left out it is cleared. */
export interface RowWrite {
  readonly state: PodState;
  readonly resourceVersion?: string;
  readonly nextCheckAt?: number;
  readonly claimUntil?: number;
}

export interface KnownPod {
  readonly pod: PodIdentity;
  readonly node: string;
  readonly resourceVersion?: string;
}
