import { podStatus } from '../../../../../src/controllers/pod/status/pod-status.ts';
import type { ContainerStatus } from '../../../../../src/model/kubernetes.ts';
import type { PodState } from '../../../../../src/model/pod-row.ts';
import type { Workload, WorkloadContainer } from '../../../../../src/model/workload.ts';
import type { PodWish } from '../../../../support/a-pod.ts';
import { readPod } from '../../../../support/a-view.ts';
import { aContainer, anAttempt, aStopped, NOW } from '../../../../support/a-workload.ts';

/** The status of a pod whose one attempt has this workload; of one that was never launched where there is none. */
export const statusOf = (
  workload: Workload | undefined,
  pod: PodWish = {},
  state: Partial<PodState> = {},
): ReturnType<typeof podStatus> =>
  podStatus(readPod(pod), { attempts: workload ? [anAttempt(workload)] : [], restarts: {}, ...state }, NOW);

/** The status of its first container. */
export const mainOf = (...args: Parameters<typeof statusOf>): ContainerStatus => {
  const [main] = statusOf(...args).containerStatuses;
  if (!main) throw new Error('no container status');
  return main;
};

/** Status and reason of its conditions, by their types. */
export const conditionsOf = (...args: Parameters<typeof statusOf>): Record<string, string> =>
  Object.fromEntries(
    statusOf(...args).conditions.map(({ type, status, reason }) => [type, reason ? `${status} ${reason}` : status]),
  );

/** A workload whose container has ended so. */
export const ended = (container: Partial<WorkloadContainer>, wish: Partial<Workload> = {}): Workload =>
  aStopped(undefined, { containers: [aContainer({ state: 'terminated', ...container })], ...wish });
