import { goDuration } from '../../../core/go-duration.ts';
import type { Container, ContainerState, Pod } from '../../../model/kubernetes.ts';
import type { BackOff, PodState } from '../../../model/pod-row.ts';
import type { Workload } from '../../../model/workload.ts';
import { unsupportedReason } from '../provider-words.ts';
import { identityOf, kubeletPodName } from '../text.ts';
import { PULL_ERROR_SHOWN_MS } from '../timing.ts';
import { isPullError } from '../workloads.ts';

export type Waiting = NonNullable<ContainerState['waiting']>;

/** Why a container is not running yet, in kubelet's words. */
export const waitingState = (
  pod: Pod,
  container: Container,
  state: PodState,
  run: Workload | undefined,
  now: number,
): Waiting => {
  if (state.refusal) return refusalText(state.refusal);
  const { backOff } = state;
  if (backOff && (run === undefined || isPullError(backOff.reason))) return backOffState(pod, container, backOff, now);
  return { reason: (pod.spec?.initContainers ?? []).length > 0 ? 'PodInitializing' : 'ContainerCreating' };
};

/** Reason and message of what a pod asks for and cannot have. */
export const refusalText = ({
  reason,
  problems,
}: NonNullable<PodState['refusal']>): Waiting & { reason: string; message: string } => ({
  reason: reason ?? unsupportedReason(undefined),
  message: refusalMessage(problems),
});

/** Every problem with its field, in one text. */
export const refusalMessage = (problems: readonly { readonly field: string; readonly message: string }[]): string =>
  problems.map(({ field, message }) => `${field}: ${message}`).join('; ');

/** kubelet's message of a container that waits for its next start. */
export const crashLoopMessage = (pod: Pod, container: string, seconds: number): string =>
  `back-off ${goDuration(seconds)} restarting failed container=${container} pod=${kubeletPodName(identityOf(pod))}`;

const backOffState = (pod: Pod, container: Container, backOff: BackOff, now: number): Waiting => {
  const { reason, message, seconds, at } = backOff;
  if (reason === 'CrashLoopBackOff') return { reason, message: crashLoopMessage(pod, container.name, seconds) };
  if (reason === 'CreateContainerConfigError' || reason === 'CreateContainerError') return { reason, message };
  if (!isPullError(reason)) return { reason: 'ContainerCreating', message };
  if (reason === 'InvalidImageName' || now < at + PULL_ERROR_SHOWN_MS) return { reason, message };
  return {
    reason: 'ImagePullBackOff',
    message: `Back-off pulling image ${JSON.stringify(container.image ?? '')}: ${reason}: ${message}`,
  };
};
