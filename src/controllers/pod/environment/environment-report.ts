import type { Problem } from '../../../model/problem.ts';

/** A Warning event on the pod. Never holds a value. */
export interface EnvironmentEvent {
  readonly reason: EnvironmentEventReason;
  readonly message: string;
}

/** Upstream virtual-kubelet's reasons (`internal/podutils`), and one for values that no environment can hold. */
export type EnvironmentEventReason =
  | `${'Optional' | 'Mandatory'}${'ConfigMap' | 'Secret'}${'NotFound' | 'KeyNotFound'}`
  | `FailedToRead${'Optional' | 'Mandatory'}${'ConfigMap' | 'Secret'}`
  | 'InvalidEnvironmentVariableNames'
  | 'InvalidEnvironmentVariableValues';

/** Gathers what there is to say about one container's environment while it is resolved. */
export class EnvironmentReport {
  readonly events: EnvironmentEvent[] = [];
  readonly problems: Problem[] = [];
  /** What the container waits for, in kubelet's words: the first mandatory reference that is not there. */
  waitingFor: string | undefined;

  warn(reason: EnvironmentEventReason, message: string): void {
    this.events.push({ reason, message });
  }

  refuse(field: string, message: string): void {
    this.problems.push({ field, message });
  }

  wait(message: string): void {
    this.waitingFor ??= message;
  }
}
