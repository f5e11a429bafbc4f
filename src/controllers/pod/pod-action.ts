import type { PodEvent } from '../../model/pod-event.ts';
import type { PodState } from '../../model/pod-row.ts';
import type { StatusPatch } from '../../ports/kubernetes.ts';

/**
 * One step of a reconcile. `read-…`, `describe` and `find` ask for a fact the plan lacks; all the others are repeatable
 * effects. A plan without `wait` or `forget` is made again once its steps are done.
 */
export type PodAction =
  /** Reads the node's row: may anything be launched on it? */
  | { readonly kind: 'read-node' }
  /** Reads which cluster the API server belongs to, and which one the node was registered with. */
  | { readonly kind: 'read-cluster' }
  /** Reads these workloads at the provider. */
  | { readonly kind: 'describe'; readonly ids: readonly string[] }
  /** Asks the provider for every workload of the pod. */
  | { readonly kind: 'find' }
  /** Reads the ends of these containers' logs, for their termination messages. */
  | {
      readonly kind: 'read-log-tails';
      readonly attempt: number;
      readonly workloadId: string;
      readonly containers: readonly string[];
    }
  /** Takes a decision. `durable`: it is on the row before the next step. */
  | { readonly kind: 'remember'; readonly state: PodState; readonly durable: boolean }
  /** Resolves the pod's sources and renders the launch request. Starts nothing. */
  | { readonly kind: 'prepare'; readonly attempt: number; readonly try: number }
  /** Writes the intent, sends the request once, writes the outcome. */
  | { readonly kind: 'send' }
  | { readonly kind: 'stop'; readonly workloadId: string; readonly graceSeconds: number; readonly reason: string }
  | { readonly kind: 'push-status'; readonly patch: StatusPatch }
  | { readonly kind: 'record'; readonly events: readonly PodEvent[] }
  /** DELETE of the API object with grace 0 and UID precondition. */
  | { readonly kind: 'delete-pod' }
  /** Removes the row. */
  | { readonly kind: 'forget' }
  /**
   * Nothing more to do until `until` (milliseconds since the epoch; undefined: until somebody asks). `rereadOnly`: and then
   * only to read a running workload again; see PodState.
   */
  | { readonly kind: 'wait'; readonly until: number | undefined; readonly rereadOnly?: PodState['rereadOnly'] };
