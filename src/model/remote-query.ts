/** A command in a running container, as `kubectl exec` asks for it. */
export interface ExecQuery {
  /** Provider's own id of the workload, as in `Workload.id`. */
  readonly workloadId: string;
  readonly container: string;
  /** argv, exactly as the caller gave it; never empty. */
  readonly command: readonly string[];
  readonly tty: boolean;
}

/** A command whose stream the caller carries. */
export interface SessionQuery extends ExecQuery {
  /** Whether the caller has input for it. */
  readonly stdin: boolean;
  /** By itself, without the shell of the image, which an earlier session has found missing. */
  readonly direct: boolean;
}

/** The data key of a session that the caller carries, where the agent in the container encrypts it. */
export interface SessionKeyQuery {
  readonly workloadId: string;
  readonly container: string;
  readonly sessionId: string;
  /** Id, ARN or alias of a key, as the agent names it. */
  readonly keyId: string;
  /** The agent's text that the data key is bound to, where it sends one. */
  readonly challenge: string | undefined;
}

/** The streams of a container's first process, as `kubectl attach` asks for them. */
export interface AttachQuery {
  readonly workloadId: string;
  readonly container: string;
  readonly tty: boolean;
}

/** A TCP port inside the pod's network, as `kubectl port-forward` asks for it. */
export interface PortQuery {
  readonly workloadId: string;
  /** 1 to 65535. */
  readonly port: number;
}
