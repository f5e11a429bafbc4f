/** What one live workload uses, read at one moment. Times in milliseconds since the epoch. */
export interface WorkloadStats {
  readonly workloadId: string;
  /** UID of the pod it runs. */
  readonly podUid: string;
  readonly startedAt: number;
  /** Containers of the pod that run; one whose figures are not known yet is left out. */
  readonly containers: readonly ContainerStats[];
}

/** Of one container. A figure the provider does not have is left out, never guessed as zero. */
export interface ContainerStats {
  readonly name: string;
  readonly startedAt: number;
  /** When the figures were taken. */
  readonly at: number;
  readonly cpu?: {
    /** CPU time since the container's start, in nanoseconds of one core. Never falls. */
    readonly usageCoreNanoSeconds: number;
    /** What it uses now, in billionths of a core. */
    readonly usageNanoCores?: number;
  };
  readonly memory?: { readonly workingSetBytes: number };
}
