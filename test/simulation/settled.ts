import type { Pod } from '../../src/model/kubernetes.ts';
import type { Workload } from '../../src/model/workload.ts';

/**
 * What is wrong with a pod that must be at rest: its status is that of its last workload, and nothing is under way.
 * `workloads` are those the provider remembers, `runs` all that have ever run. Undefined where nothing is wrong.
 */
export const settledFault = (
  pod: Pod,
  workloads: readonly Workload[],
  runs: readonly Workload[],
): string | undefined => {
  const last = workloads.at(-1);
  const live = last !== undefined && last.phase !== 'stopped' ? last : undefined;
  if (pod.metadata?.deletionTimestamp !== undefined) {
    return live ? `${pod.metadata.uid} is being deleted and ${live.id} lives` : undefined;
  }
  switch (pod.status?.phase) {
    case 'Succeeded':
      return succeededFault(pod, live, last);
    case 'Failed':
      return failedFault(pod, live, last);
    case 'Running':
      return runningFault(pod, last) ?? restartsFault(pod, runs);
    default:
      if (last === undefined) return `${pod.status?.phase} and never launched`;
      return last.phase === 'running' ? `${pod.status?.phase} while ${last.id} runs` : undefined;
  }
};

const succeededFault = (pod: Pod, live: Workload | undefined, last: Workload | undefined): string | undefined => {
  if (live) return `has succeeded and ${live.id} lives`;
  if (pod.spec?.restartPolicy === 'Always') return 'a pod that restarts always has succeeded';
  const code = last?.containers[0]?.exitCode;
  if (last !== undefined && code !== 0) return `succeeded with exit code ${code}`;
  return toldExitCode(pod) === 0
    ? isReadyFault(pod.status, false)
    : `succeeded and says exit code ${toldExitCode(pod)}`;
};

const failedFault = (pod: Pod, live: Workload | undefined, last: Workload | undefined): string | undefined => {
  const { reason } = pod.status ?? {};
  if (live) return `has failed and ${live.id} lives`;
  const code = last?.containers[0]?.exitCode;
  if (reason !== undefined) return isReadyFault(pod.status, false);
  if (pod.spec?.restartPolicy !== 'Never' || code === 0)
    return `failed (${pod.spec?.restartPolicy}) with exit code ${code} and no reason`;
  return last === undefined || toldExitCode(pod) === code
    ? isReadyFault(pod.status, false)
    : `ended with ${code} and says ${toldExitCode(pod)}`;
};

const runningFault = (pod: Pod, last: Workload | undefined): string | undefined => {
  const { state, containerID } = pod.status?.containerStatuses?.[0] ?? {};
  if (last?.phase === 'running') {
    if (state?.running === undefined) return `${last.id} runs and its container is said not to`;
    if (containerID !== last.containers[0]?.containerId) return `${last.id} runs, told is container ${containerID}`;
    if (pod.status?.podIP !== last.ips[0]) return `${last.id} is at ${last.ips[0]}, told is ${pod.status?.podIP}`;
    return healthFault(pod, last);
  }
  if (last?.phase === 'stopped') {
    const isWaiting = pod.spec?.restartPolicy !== 'Never' && state?.waiting?.reason !== undefined;
    return isWaiting ? isReadyFault(pod.status, false) : 'runs on after its last workload has stopped';
  }
  // Restarting, or about to.
  return last === undefined ? 'runs and never launched' : undefined;
};

const healthFault = ({ spec, status }: Pod, { id, containers }: Workload): string | undefined => {
  const [container] = spec?.containers ?? [];
  const health = containers[0]?.health;
  if (container?.livenessProbe && health === 'unhealthy') return `${id} runs on and its liveness probe fails`;
  return isReadyFault(status, container?.readinessProbe === undefined || health === 'healthy');
};

const restartsFault = (pod: Pod, runs: readonly Workload[]): string | undefined => {
  const told = pod.status?.containerStatuses?.[0]?.restartCount ?? 0;
  const isBetween = pod.status?.containerStatuses?.[0]?.state?.running === undefined;
  return told === runs.length - 1 || isBetween ? undefined : `has run ${runs.length} times and tells ${told} restarts`;
};

const toldExitCode = ({ status }: Pod): number | undefined =>
  status?.containerStatuses?.[0]?.state?.terminated?.exitCode;

const isReadyFault = (status: Pod['status'], expected: boolean): string | undefined => {
  const told = status?.conditions?.find(({ type }) => type === 'Ready')?.status;
  return told === (expected ? 'True' : 'False') ? undefined : `Ready is ${told}, ${status?.phase}`;
};
