import type { Workload } from './workload.ts';

/**
 * The part of an observation somebody may have to act on: two of equal news differ in nothing but versions and in times
 * that are told along with the next news (the end of a pull, the steps of a workload on its way out). Stores wake a pod
 * only where this changes.
 */
export const newsOf = (workload: Workload): unknown => {
  const { version: _version, pullStoppedAt: _pulled, stoppedAt: _stopped, endedAt, phase, ...rest } = workload;
  const isDown =
    workload.containers.length > 0 &&
    workload.containers.every(({ state, exitCode }) => state === 'terminated' && exitCode !== undefined);
  // Once every container has ended and said how, only the final stop is news.
  const isOnItsWayOut = isDown && phase !== 'stopped';
  return isOnItsWayOut
    ? { ...rest, phase: 'stopping', stopping: true, end: workload.end?.kind }
    : { ...rest, phase, endedAt };
};
