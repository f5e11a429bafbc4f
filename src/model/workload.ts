/**
 * One attempt to run a pod, as its provider sees it (on Fargate: one ECS task). Provider-neutral, serialisable, times in
 * milliseconds since the epoch. A pod has at most one live workload; a restart is a new one with the next `attempt`.
 */
export interface Workload {
  /** The provider's own name of it (Fargate: the task ARN). Unique for ever. */
  readonly id: string;
  /** UID of the pod it runs; undefined where the provider found something that is not ours. */
  readonly podUid: string | undefined;
  /** Counts from 1. Restarts grow it. */
  readonly attempt: number;
  /** Counts from 1. Grows within an attempt when a launch was definitely refused. */
  readonly try: number;
  /** Grows with every change at the provider; an older one never overwrites a newer one. */
  readonly version: number;
  readonly phase: WorkloadPhase;
  /** True once somebody or something asked it to stop, also while it is still running. */
  readonly stopping: boolean;
  readonly ips: readonly string[];
  readonly createdAt?: number;
  readonly pullStartedAt?: number;
  readonly pullStoppedAt?: number;
  readonly startedAt?: number;
  /** When its containers had ended. */
  readonly endedAt?: number;
  readonly stoppedAt?: number;
  /** Why it stopped or is about to; undefined while nothing asks for it. */
  readonly end?: WorkloadEnd;
  /** Only containers of the pod: strangers and our own helpers are left out by the provider. */
  readonly containers: readonly WorkloadContainer[];
}

export type WorkloadPhase = 'starting' | 'running' | 'stopping' | 'stopped';

/**
 * - `exited`: its containers ended by themselves.
 * - `failed-to-start`: `reason` is kubelet's waiting reason (`ErrImagePull`, `CreateContainerConfigError`, `RunContainerError` …).
 * - `requested`: somebody asked for the stop; whether it was us is known by the row.
 * - `disrupted`: the provider took it away (spot interruption, retirement); `reason` in kubelet's words.
 */
export interface WorkloadEnd {
  readonly kind: 'exited' | 'failed-to-start' | 'requested' | 'disrupted';
  readonly reason: string;
  /** The provider's own words, whole. */
  readonly message: string;
}

export interface WorkloadContainer {
  readonly name: string;
  readonly state: 'waiting' | 'running' | 'terminated';
  /** Absent where the provider does not know it: never to be read as success. */
  readonly exitCode?: number;
  /** kubelet's reason where the provider knows one (`OOMKilled`, `ContainerCannotRun`); else absent. */
  readonly reason?: string;
  readonly message?: string;
  readonly image?: string;
  readonly imageDigest?: string;
  /** With its scheme, as `status.containerStatuses[].containerID` shows it. */
  readonly containerId?: string;
  readonly health?: 'healthy' | 'unhealthy' | 'unknown';
}
