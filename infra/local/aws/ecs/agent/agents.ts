import type { StopCode } from '../tasks/task-record.ts';

export interface StopRequest {
  readonly code: StopCode;
  readonly reason: string;
}

/** Who moves tasks on, as the actions see it. */
export interface Agents {
  /** Takes the new task from PROVISIONING on. */
  start(arn: string): void;
  /** Asks for the stop; nothing happens where one is under way or done. */
  stop(arn: string, request: StopRequest): void;
}
