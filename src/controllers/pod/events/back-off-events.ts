import type { Pod } from '../../../model/kubernetes.ts';
import type { PodEvent } from '../../../model/pod-event.ts';
import type { PodState } from '../../../model/pod-row.ts';
import { currentAttempt } from '../attempts.ts';
import { identityOf, kubeletPodName } from '../text.ts';
import { PULL_ERROR_SHOWN_MS } from '../timing.ts';
import { isPullError } from '../workloads.ts';

/** Why the next launch waits: kubelet's events where it knows the reason, else one Warning named after it. */
export const backOffEvents = (pod: Pod, state: PodState, now: number): readonly PodEvent[] => {
  const { backOff } = state;
  const attempt = currentAttempt(state);
  if (!backOff || (attempt?.workloadId !== undefined && !isPullError(backOff.reason))) return [];
  const number = attempt?.attempt ?? 1;
  const containers = pod.spec?.containers ?? [];
  const warning = (reason: string, message: string, container?: string): PodEvent => ({
    key: `${number}/${backOff.reason}/${reason}/${container ?? ''}/${message.slice(0, 80)}`,
    type: 'Warning',
    reason,
    message,
    at: backOff.at,
    ...(container !== undefined && { container }),
  });
  if (backOff.reason === 'CrashLoopBackOff') {
    const name = kubeletPodName(identityOf(pod));
    return containers.map((container) =>
      warning('BackOff', `Back-off restarting failed container ${container.name} in pod ${name}`, container.name),
    );
  }
  if (isPullError(backOff.reason)) {
    return containers.flatMap(({ name, image = '' }) => {
      const quoted = JSON.stringify(image);
      const failed = [
        warning('Failed', `Failed to pull image ${quoted}: ${backOff.message}`, name),
        warning('Failed', `Error: ${backOff.reason}`, name),
      ];
      const waits: PodEvent = { ...warning('BackOff', `Back-off pulling image ${quoted}`, name), type: 'Normal' };
      return now < backOff.at + PULL_ERROR_SHOWN_MS
        ? failed
        : [...failed, waits, warning('Failed', 'Error: ImagePullBackOff', name)];
    });
  }
  const isConfig = backOff.reason === 'CreateContainerConfigError' || backOff.reason === 'CreateContainerError';
  if (isConfig) return containers.map(({ name }) => warning('Failed', `Error: ${backOff.message}`, name));
  return [warning(backOff.reason === 'ContainerCreating' ? 'FailedCreatePodSandBox' : backOff.reason, backOff.message)];
};
