/** Which output, by the rules of kubelet's PodLogOptions. */
export interface LogQuery {
  readonly workloadId: string;
  readonly container: string;
  readonly follow: boolean;
  readonly timestamps: boolean;
  /** Lines counted from the end; 0 means none of what is there. Undefined: all. */
  readonly tailLines?: number;
  /** Bytes after formatting. */
  readonly limitBytes?: number;
  /** RFC 3339, to the nanosecond; only lines from then on. */
  readonly sinceTime?: string;
}
