import type { Attempt } from '../../../model/attempt.ts';
import type { Pod } from '../../../model/kubernetes.ts';
import type { WorkloadContainer } from '../../../model/workload.ts';
import { containersOf } from '../environment/environment-sources.ts';
import type { PodAction } from '../pod-action.ts';
import type { PodView } from '../pod-view.ts';
import { isStartError } from '../workloads.ts';

/**
 * Reads the end of the log of every container that has failed and whose termination message is to fall back to it
 * (`terminationMessagePolicy: FallbackToLogsOnError`), once each and before the failure is told. By kubelet's rule one that
 * could not be started has no log.
 */
export const planLogTails = ({ pod, state }: PodView): readonly PodAction[] => {
  if (pod.kind !== 'found') return [];
  const names = namesThatFallBack(pod.pod);
  return names.length === 0 ? [] : state.attempts.flatMap((attempt) => tailsOf(attempt, names));
};

const namesThatFallBack = (pod: Pod): readonly string[] =>
  containersOf(pod)
    .filter(({ terminationMessagePolicy }) => terminationMessagePolicy === 'FallbackToLogsOnError')
    .map(({ name }) => name);

const tailsOf = (
  { attempt, workloadId, observed, logTails = {} }: Attempt,
  names: readonly string[],
): readonly PodAction[] => {
  const containers = (observed?.containers ?? [])
    .filter((container) => names.includes(container.name) && hasFailed(container))
    .flatMap(({ name }) => (logTails[name] === undefined ? name : []));
  return workloadId === undefined || containers.length === 0
    ? []
    : [{ kind: 'read-log-tails', attempt, workloadId, containers }];
};

const hasFailed = ({ state, exitCode, reason }: WorkloadContainer): boolean =>
  state === 'terminated' && exitCode !== undefined && exitCode !== 0 && !isStartError(reason ?? '');
