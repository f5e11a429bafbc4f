import type { ContainerState, ContainerStatus } from '../../../model/kubernetes.ts';
import type { Workload, WorkloadContainer } from '../../../model/workload.ts';
import { kubernetesTime } from '../text.ts';
import { endOf, isStartError } from '../workloads.ts';

export type Terminated = NonNullable<ContainerState['terminated']>;

/** How a container of a workload ended, in kubelet's words. `server`: what the API server holds, for times nobody else knows. */
export const terminatedState = (
  workload: Workload,
  container: WorkloadContainer,
  server: ContainerStatus | undefined,
  now: number,
): Terminated => {
  const outcome = outcomeOf(workload, container);
  const message = outcome.exitCode === 0 ? container.message : (container.message ?? messageOf(workload));
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
