import type { Pod } from '../../../model/kubernetes.ts';
import type { Absence, PodState } from '../../../model/pod-row.ts';
import type { PodAction } from '../pod-action.ts';
import { type PodView, terminalPhase } from '../pod-view.ts';
import { CLAIM_MS, MISSING_FOR_MS, MISSING_READS, RECOVERY_AGE_MS, SIGNATURE_LIFE_MS } from '../timing.ts';

/**
 * A new row proves nothing: the table may have been lost. Where the pod has been seen before, its workloads are looked
 * for first; one that was started and is nowhere to be found is lost, never started again.
 */
export const planRecovery = (view: PodView): readonly PodAction[] => {
  const { pod, state, now, found } = view;
  if (pod.kind !== 'found' || state.recovered || terminalPhase(view)) return [];
  if (!found && wasSeenBefore(pod.pod, now)) return [{ kind: 'find' }];
  const lost = state.attempts.length === 0 && wasStarted(pod.pod);
  const notFound = { at: state.notFound?.at ?? now, lastAt: now, reads: (state.notFound?.reads ?? 0) + 1 };
  if (lost && found?.isConclusive !== true && !isLasting(notFound)) {
    const until = now + MISSING_FOR_MS / (MISSING_READS - 1);
    return [
      { kind: 'remember', durable: false, state: { ...state, notFound } },
      { kind: 'wait', until },
    ];
  }
  const recovered = {
    ...state,
    recovered: true,
    restarts: restartsOf(pod.pod, state),
    ...(wasTried(pod.pod) && { noNewTokenBefore: now + CLAIM_MS + SIGNATURE_LIFE_MS }),
  };
  return [{ kind: 'remember', durable: false, state: { ...recovered, ...(lost && { failure: taskLost(now) }) } }];
};

/** The provider forgets old attempts: the API server may have counted more. */
const restartsOf = ({ status }: Pod, { restarts }: PodState): PodState['restarts'] => ({
  ...restarts,
  ...Object.fromEntries(
    (status?.containerStatuses ?? [])
      .map(({ name, restartCount }) => [name, Math.max(restartCount, restarts[name] ?? 0)] as const)
      .filter(([, count]) => count > 0),
  ),
});

/** Providers are eventually consistent: a workload is believed to be gone as it is when its own row is asked for it. */
const isLasting = ({ at, lastAt, reads }: Absence): boolean => reads >= MISSING_READS && lastAt - at >= MISSING_FOR_MS;

/** The verdict over a pod whose workload is gone without a trace. */
export const taskLost = (now: number): NonNullable<PodState['failure']> => ({
  reason: 'TaskLost',
  message: 'The Fargate task that ran this pod is gone and how it ended is not known; it is not started again',
  at: now,
});

const wasStarted = ({ status }: Pod): boolean =>
  status?.startTime !== undefined ||
  (status?.containerStatuses ?? []).some(({ containerID }) => containerID !== undefined && containerID !== '');

/**
 * Somebody has tried to launch it, and this row does not know how often: a request may still be under way, from a holder of
 * the row that was lost.
 */
const wasTried = (pod: Pod): boolean => wasStarted(pod) || (pod.status?.reason ?? '') !== '';

const wasSeenBefore = (pod: Pod, now: number): boolean => {
  const created = Date.parse(pod.metadata?.creationTimestamp ?? '');
  return wasStarted(pod) || Number.isNaN(created) || now - created > RECOVERY_AGE_MS;
};
