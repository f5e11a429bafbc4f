import type { ContainerUsage, OutputSink, Terminal } from '../../../runtimes/runtime.ts';
import type { StopCode } from '../tasks/task-record.ts';

export interface StopRequest {
  readonly code: StopCode;
  readonly reason: string;
}

/** A container as only its agent knows it. */
export interface ContainerView {
  /** Milliseconds since the epoch; undefined before its first start. */
  readonly startedAt?: number;
  /** How often ECS's restart policy has started it again. */
  readonly restarts: number;
  /** A terminal inside; undefined where the execute command agent is not running. */
  readonly openTerminal?: (command: readonly string[], output: OutputSink) => Promise<Terminal>;
  /** What the container engine measures, in Docker's form; undefined where it is not running or nothing is measured. */
  stats(signal: AbortSignal): Promise<unknown>;
  usage(signal: AbortSignal): Promise<ContainerUsage | undefined>;
}

/** Who moves tasks on, as the actions see it. */
export interface Agents {
  /** Takes the new task from PROVISIONING on. */
  start(arn: string): void;
  /** Asks for the stop; nothing happens where one is under way or done. */
  stop(arn: string, request: StopRequest): void;
  /** Undefined where the task has ended or the container was never prepared. */
  view(arn: string, container: string): ContainerView | undefined;
}
