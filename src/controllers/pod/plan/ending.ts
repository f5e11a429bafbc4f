import type { Pod } from '../../../model/kubernetes.ts';
import type { PodState } from '../../../model/pod-row.ts';
import { currentAttempt, mayRun } from '../attempts.ts';
import type { PodAction } from '../pod-action.ts';
import { liveWorkloads, type PodView, terminalPhase } from '../pod-view.ts';
import { disruptionOf } from '../status/disruption.ts';
import { isDown, isOver } from '../workloads.ts';
import { stopAfterHook } from './pre-stop.ts';
import { taskLost } from './recovery.ts';
import { afterRun } from './restart.ts';
import { planStop } from './stop.ts';

/**
 * Decides what the end of a workload means, and stops what outlives its pod: by a verdict of ours, by the pod's deadline,
 * or because the API server holds a terminal phase.
 */
export const planEnding = (view: PodView): readonly PodAction[] => {
  const { pod, state, now } = view;
  if (pod.kind !== 'found' || pod.pod.metadata?.deletionTimestamp !== undefined) return [];
  const finished = terminalPhase(view);
  if (finished ?? state.failure) {
    const live = liveWorkloads(view);
    // What is stopped is stopped for a reason that is on the row.
    if (finished && state.finished === undefined)
      return [{ kind: 'remember', durable: live.length > 0, state: { ...state, finished } }];
    const graceSeconds = graceOf(pod.pod);
    if (!state.failure) return planStop(view, live, { graceSeconds, reason: 'the pod is over' });
    const { at: since, message: reason } = state.failure;
    return stopAfterHook(view, pod.pod, { workloads: live, since, graceSeconds, reason });
  }
  const failure = verdictOf(pod.pod, state, now);
  if (failure) return [{ kind: 'remember', durable: mayRun(state), state: { ...state, failure } }];
  const attempt = currentAttempt(state);
  const next = attempt && isOver(attempt) ? afterRun(pod.pod, state, attempt, now) : undefined;
  return next ? [{ kind: 'remember', durable: false, state: next }] : [];
};

const verdictOf = (pod: Pod, state: PodState, now: number): PodState['failure'] =>
  deadlineVerdict(pod, now) ?? lossOrDisruption(pod, state, now);

/**
 * When `activeDeadlineSeconds` runs out, counted from the pod's start time. kubelet sets that as soon as it sees the pod;
 * here a pod has none before its launch, and what waits for that is counted from its binding.
 */
export const deadlineOf = ({ spec, status }: Pod): number | undefined => {
  const bound = status?.conditions?.find(
    (condition) => condition.type === 'PodScheduled' && condition.status === 'True',
  );
  const since = status?.startTime || bound?.lastTransitionTime;
  return spec?.activeDeadlineSeconds === undefined || !since
    ? undefined
    : Date.parse(since) + spec.activeDeadlineSeconds * 1_000;
};

const deadlineVerdict = (pod: Pod, now: number): PodState['failure'] => {
  const deadline = deadlineOf(pod);
  return deadline === undefined || now < deadline
    ? undefined
    : {
        reason: 'DeadlineExceeded',
        message: 'Pod was active on the node longer than the specified deadline',
        at: now,
      };
};

const lossOrDisruption = (pod: Pod, state: PodState, now: number): PodState['failure'] => {
  const attempt = currentAttempt(state);
  if (attempt?.lostAt !== undefined) return taskLost(now);
  const message = attempt?.observed && isDown(attempt.observed) ? disruptionOf(pod, state) : undefined;
  return message === undefined ? undefined : { reason: 'FargateTaskStopped', message, at: now };
};

const graceOf = ({ spec }: Pod): number => spec?.terminationGracePeriodSeconds ?? 30;
