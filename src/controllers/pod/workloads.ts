import type { Attempt } from '../../model/attempt.ts';
import type { Workload, WorkloadContainer } from '../../model/workload.ts';

/** True once nothing of the workload can run any more. */
export const isStopped = (workload: Workload): boolean => workload.phase === 'stopped';

/**
 * True once every container of the pod has ended and how it ended is known: the workload may still be on its way out.
 * A workload that reports no containers counts as down only when it is stopped.
 */
export const isDown = (workload: Workload): boolean =>
  isStopped(workload) ||
  (workload.containers.length > 0 &&
    workload.containers.every(({ state, exitCode }) => state === 'terminated' && exitCode !== undefined));

/** True where the attempt's workload has run out or is lost. */
export const isOver = ({ observed, lostAt }: Attempt): boolean =>
  lostAt !== undefined || (observed !== undefined && isStopped(observed));

/**
 * Did the container ever run? A provider may not know its exit code; one that ended in a workload that never ran has not
 * run either, but for errors of the start itself, which kubelet counts as a run.
 */
export const hasRun = (workload: Workload, { state, exitCode }: WorkloadContainer): boolean =>
  state === 'running' || (state === 'terminated' && (exitCode !== undefined || hasRunAtAll(workload)));

const hasRunAtAll = ({ startedAt, end }: Workload): boolean =>
  startedAt !== undefined || (end !== undefined && end.kind === 'failed-to-start' && isStartError(end.reason));

/** Reasons of a container that was made and then could not start its program. kubelet gives it exit code 128. */
export const isStartError = (reason: string): boolean => START_ERRORS.has(reason);

const START_ERRORS: ReadonlySet<string> = new Set(['RunContainerError', 'StartError', 'ContainerCannotRun']);

/** When the workload's containers had ended, as far as the provider tells. */
export const endOf = ({ endedAt, stoppedAt }: Workload): number | undefined => endedAt ?? stoppedAt;

/** Reasons of an image that could not be had; kubelet tries again whatever the restart policy says. */
export const isPullError = (reason: string): boolean => PULL_ERRORS.has(reason);

const PULL_ERRORS: ReadonlySet<string> = new Set([
  'ErrImagePull',
  'InvalidImageName',
  'ImageInspectError',
  'RegistryUnavailable',
]);
