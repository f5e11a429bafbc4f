/**
 * What really runs the containers of an emulated task. The emulator decides everything ECS decides (order, health,
 * essential containers, time-outs, restarts); a runtime only does what a container engine does.
 */
export interface TaskRuntime {
  readonly name: string;
  /** This machine as the containers of tasks reach it; undefined where they cannot. */
  readonly hostAddress?: string;
  /**
   * Makes what the containers of one task share: the network with its own address, scratch volumes.
   * @throws {StartFailure} where it cannot.
   */
  openTask(task: TaskSpec): Promise<TaskSandbox>;
  /** Ends and removes everything that was ever opened. Later calls are refused. */
  close(): Promise<void>;
}

/** One task in the runtime. */
export interface TaskSandbox {
  /** The task's own IPv4 address. */
  readonly ip: string;
  /**
   * Has the image at hand when it resolves.
   * @throws {StartFailure} whose message starts with `CannotPullContainerError`.
   */
  pull(container: ContainerSpec, signal: AbortSignal): Promise<PulledImage>;
  /**
   * Starts the container. May be called again for the same name once the earlier one has exited.
   * @throws {StartFailure} whose message starts with `CannotStartContainerError` or `CannotCreateContainerError`.
   */
  start(container: ContainerSpec, output: OutputSink): Promise<RunningContainer>;
  /** Ends what still runs and removes what the task had. Safe to call twice. */
  close(): Promise<void>;
}

/** A started container. */
export interface RunningContainer {
  /** Settles once, when the main process is gone and all of its output has been handed over; never rejects. */
  readonly exited: Promise<ContainerExit>;
  /** The image's stop signal (SIGTERM) to the main process. A container that has exited is left alone. */
  terminate(): void;
  /** SIGKILL to all of it. */
  kill(): void;
  /** Runs a command inside and gives its exit code; undefined where `signal` aborted first. For health checks. */
  exec(command: readonly string[], signal: AbortSignal): Promise<number | undefined>;
  /**
   * Starts a command inside with a terminal of its own, of no size yet, as root where the runtime can. A runtime without it
   * has no execute command agent.
   * @throws {StartFailure} `Failed to start pty: ` and what Go's os/exec says.
   */
  openTerminal?(command: readonly string[], output: OutputSink): Promise<Terminal>;
  /** What the engine measures of it, in the form of Docker's statistics; undefined where it runs no more. */
  stats?(signal: AbortSignal): Promise<unknown>;
  /** What it uses; undefined where it runs no more or nobody can tell. */
  usage?(signal: AbortSignal): Promise<ContainerUsage | undefined>;
}

export interface ContainerUsage {
  /** Since its start. */
  readonly cpuNanoSeconds: number;
  readonly memoryBytes: number;
}

/** A command with a terminal, beside the container's main process; it ends with the container. */
export interface Terminal {
  /** Settles once, when the command is gone and all of its output has been handed over; never rejects. */
  readonly ended: Promise<void>;
  /** As if typed. */
  write(data: Uint8Array): void;
  resize(columns: number, rows: number): void;
  /** Stops handing over output, so that the command has to wait. */
  pause(): void;
  resume(): void;
  /** SIGKILL. */
  kill(): void;
}

export interface ContainerExit {
  /** Absent where it was lost with the machine. */
  readonly exitCode?: number;
  /** In the agent's words, such as `OutOfMemoryError: Container killed due to memory usage`. */
  readonly reason?: string;
}

export interface PulledImage {
  /** `sha256:…` */
  readonly digest: string;
}

/** Takes what a container writes, stdout and stderr alike, in the order it was read. */
export type OutputSink = (chunk: Uint8Array) => void;

export interface TaskSpec {
  /** 32 hexadecimal digits. */
  readonly id: string;
  readonly arn: string;
  readonly cpuUnits: number;
  readonly memoryMiB: number;
  /** All containers see each other's processes. */
  readonly sharedPids: boolean;
  /** Names of the scratch volumes that containers may mount. */
  readonly volumes: readonly string[];
}

/** One container with everything resolved: overrides applied, secrets fetched. Holds secret values: never log it. */
export interface ContainerSpec {
  readonly name: string;
  readonly image: string;
  /** For a private registry. */
  readonly registryLogin?: { readonly username: string; readonly password: string };
  /** Undefined: the image's own. */
  readonly entryPoint?: readonly string[];
  /** Undefined: the image's own. */
  readonly command?: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly workingDirectory?: string;
  readonly user?: string;
  readonly memoryMiB?: number;
  readonly memoryReservationMiB?: number;
  readonly cpuShares: number;
  readonly readOnlyRoot: boolean;
  readonly addCapabilities: readonly string[];
  readonly dropCapabilities: readonly string[];
  readonly initProcess: boolean;
  readonly stdin: boolean;
  readonly tty: boolean;
  readonly openFiles?: { readonly soft: number; readonly hard: number };
  readonly sysctls: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  readonly mounts: readonly { readonly volume: string; readonly path: string; readonly readOnly: boolean }[];
  readonly mountsFrom: readonly { readonly container: string; readonly readOnly: boolean }[];
}

/** The container cannot start. The message is the reason in the agent's words, its error's name first. */
export class StartFailure extends Error {
  override readonly name = 'StartFailure';
}
