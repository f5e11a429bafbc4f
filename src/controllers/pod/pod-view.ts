import type { Pod } from '../../model/kubernetes.ts';
import type { PodEvent } from '../../model/pod-event.ts';
import type { PodIdentity } from '../../model/pod-identity.ts';
import type { PodState } from '../../model/pod-row.ts';
import type { Workload } from '../../model/workload.ts';
import type { NodeRow } from '../../ports/node-store.ts';
import { isStopped } from './workloads.ts';

/** Everything a plan is made from: what is known of one pod at one moment. */
export interface PodView {
  /** Milliseconds since the epoch. */
  readonly now: number;
  readonly identity: PodIdentity;
  readonly node: string;
  readonly pod: PodReading;
  /** What the row says, with every observation taken in. */
  readonly state: PodState;
  /** Every workload of the pod anybody has told us of, the newest version of each. */
  readonly workloads: readonly Workload[];
  /**
   * What the provider answered when asked for every workload of the pod; undefined where it was not asked. `isConclusive`:
   * there are no others.
   */
  readonly found?: { readonly workloads: readonly Workload[]; readonly isConclusive?: boolean };
  /** The node's row, where it was read. */
  readonly nodeRow?: NodeRow;
  /** The clusters of the API server and of the node's registration, where they were read. */
  readonly cluster?: { readonly actual: string | undefined; readonly registered: string | undefined };
  /** Events that only the preparation of a launch knows. */
  readonly announced: readonly PodEvent[];
}

/**
 * - `found`: the pod of this UID, bound to this node.
 * - `unbound`: the pod of this UID, not (yet) bound.
 * - `unread`: nobody needs to know; the row says that the pod is over.
 * - `absent`: no pod of this UID on this node: not found, or another pod has its name. `certain` where its deletion was
 *   watched, which proves more than reads.
 */
export type PodReading =
  | { readonly kind: 'unread' }
  | { readonly kind: 'found'; readonly pod: Pod }
  | { readonly kind: 'unbound'; readonly pod: Pod }
  | { readonly kind: 'absent'; readonly certain?: true };

/** What a GET of the pod's name says about the pod of this UID on this node. */
export const readingOf = (pod: Pod | undefined, { uid }: PodIdentity, node: string): PodReading => {
  if (pod?.metadata?.uid !== uid) return { kind: 'absent' };
  const boundTo = pod.spec?.nodeName;
  if (boundTo === undefined || boundTo === '') return { kind: 'unbound', pod };
  return boundTo === node ? { kind: 'found', pod } : { kind: 'absent' };
};

/** The newest version of each workload. */
export const newestOf = (workloads: Iterable<Workload>): readonly Workload[] => {
  const newest = new Map<string, Workload>();
  for (const workload of workloads) {
    const known = newest.get(workload.id);
    if (!known || workload.version > known.version) newest.set(workload.id, workload);
  }
  return [...newest.values()];
};

/** Workloads that have not stopped and whose end nobody has given up on. */
export const liveWorkloads = ({ workloads, state }: PodView): readonly Workload[] =>
  workloads.filter(
    (workload) =>
      !isStopped(workload) &&
      !state.attempts.some(({ workloadId, lostAt }) => workloadId === workload.id && lostAt !== undefined),
  );

/** True while the pod is wanted: there, not being deleted, and no verdict is out. */
export const isWanted = ({ pod, state }: PodView): boolean =>
  pod.kind === 'found' && pod.pod.metadata?.deletionTimestamp === undefined && state.failure === undefined;

/** The server's phase, where it is terminal: it never changes again. */
export const terminalPhase = ({ pod, state }: PodView): 'Succeeded' | 'Failed' | undefined => {
  if (pod.kind === 'unread') return state.finished;
  const phase = pod.kind === 'absent' ? undefined : pod.pod.status?.phase;
  return phase === 'Succeeded' || phase === 'Failed' ? phase : undefined;
};
