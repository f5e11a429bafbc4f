import type { Attempt } from '../../../model/attempt.ts';
import type { ContainerState, ContainerStatus } from '../../../model/kubernetes.ts';
import type { Workload, WorkloadContainer } from '../../../model/workload.ts';
import { kubernetesTime } from '../text.ts';
import { endOf, isStartError } from '../workloads.ts';

export type Terminated = NonNullable<ContainerState['terminated']>;

/**
 * How a container of an attempt's workload ended, in kubelet's words. `server`: what the API server holds, for times nobody
 * else knows.
 */
export const terminatedState = (
  { workload, logTails }: { readonly workload: Workload; readonly logTails: Attempt['logTails'] },
  container: WorkloadContainer,
  server: ContainerStatus | undefined,
  now: number,
): Terminated => {
  const outcome = outcomeOf(workload, container);
  const tail = logTails?.[container.name];
  const message =
    outcome.exitCode === 0 ? container.message : (withTail(container.message, tail) ?? messageOf(workload));
  return {
    ...outcome,
    ...(message && { message }),
    startedAt: timeOf(
      workload.startedAt,
      server?.state?.running?.startedAt ?? server?.state?.terminated?.startedAt,
      now,
    ),
    finishedAt: timeOf(endOf(workload), server?.state?.terminated?.finishedAt, now),
    ...(container.containerId && { containerID: container.containerId }),
  };
};

/** kubelet adds the end of the log to what the runtime says; undefined where neither says anything. */
const withTail = (message: string | undefined, tail: string | undefined): string | undefined =>
  tail ? (message ? `${message}: ${tail}` : tail) : message;

/** A container whose end nobody saw, as kubelet reports one (exit code 137: never to be read as success). */
export const unknownEnd = (server: ContainerStatus | undefined, now: number): Terminated => ({
  exitCode: 137,
  reason: 'ContainerStatusUnknown',
  message: 'The container could not be located when the pod was terminated',
  startedAt: server?.state?.running?.startedAt ?? server?.state?.terminated?.startedAt ?? kubernetesTime(now),
  finishedAt: server?.state?.terminated?.finishedAt ?? kubernetesTime(now),
  ...(server?.containerID && { containerID: server.containerID }),
});

const outcomeOf = (
  { end }: Workload,
  { exitCode, reason }: WorkloadContainer,
): { readonly exitCode: number; readonly reason: string } => {
  if (exitCode === 0) return { exitCode, reason: reason ?? 'Completed' };
  if (exitCode !== undefined) return { exitCode, reason: reason ?? 'Error' };
  const startError = [reason, end?.reason].some((one) => one !== undefined && isStartError(one));
  return startError
    ? { exitCode: 128, reason: 'StartError' }
    : { exitCode: 137, reason: reason ?? 'ContainerStatusUnknown' };
};

/** The cause must not get lost between the workload and its container: the first of them that says anything. */
const messageOf = ({ end }: Workload): string =>
  [end?.message, end?.reason].find((text) => text !== undefined && text !== '') ?? 'task stopped without a reason';

const timeOf = (known: number | undefined, server: string | undefined | null, now: number): string =>
  known === undefined ? (server ?? kubernetesTime(now)) : kubernetesTime(known);
