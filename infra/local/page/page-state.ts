/** What the page shows, as it is sent to the browser: everything decided, nothing left to compute but places. */
export interface PageState {
  readonly runtime: string;
  readonly nodes: readonly NodeView[];
  /** Newest first; of the finished ones only so many. */
  readonly pods: readonly PodView[];
  /** How many older pods are left out. */
  readonly hiddenPods: number;
  /** Newest first. */
  readonly events: readonly EventView[];
  /** Why the cluster could not be asked just now; what is shown of it is older then. */
  readonly problem?: string;
}

export interface NodeView {
  readonly name: string;
  /** Of the condition Ready; `missing` where there is no such node. */
  readonly ready: 'True' | 'False' | 'Unknown' | 'missing';
  readonly conditions: readonly { readonly type: string; readonly status: string; readonly reason: string }[];
  /** Milliseconds since the epoch. */
  readonly leaseRenewedAt?: number;
  /** The control plane gives the node up when its lease is so old. */
  readonly leaseSeconds: number;
  readonly taints: readonly string[];
}

export interface PodView {
  readonly uid: string;
  /** `namespace/name`; of a pod that is gone as long as it is remembered, else its UID. */
  readonly name: string;
  readonly node: string;
  /** As kubectl's column STATUS has it; `gone` where only its tasks are left. */
  readonly status: string;
  readonly restarts: number;
  /** Attempts, oldest first. */
  readonly tasks: readonly TaskView[];
}

export interface TaskView {
  readonly id: string;
  readonly attempt?: number;
  readonly lastStatus: string;
  readonly ip?: string;
  /** Such as `EssentialContainerExited: Essential container in task exited`. */
  readonly stopped?: string;
  readonly containers: readonly {
    readonly name: string;
    readonly status: string;
    readonly exitCode?: number;
    readonly reason?: string;
    /** It writes a log that can be read here. */
    readonly logs: boolean;
  }[];
  readonly spans: readonly Span[];
}

/** A stretch of a task's life; one that goes on has no end. Milliseconds since the epoch. */
export interface Span {
  readonly what: 'provisioning' | 'pulling' | 'starting' | 'running' | 'stopping';
  readonly from: number;
  readonly to?: number;
}

export interface EventView {
  readonly at: number;
  readonly type: string;
  readonly reason: string;
  readonly object: string;
  readonly message: string;
  readonly count: number;
}
