import type { Pod } from '../../../model/kubernetes.ts';
import type { Absence, PodState } from '../../../model/pod-row.ts';
import type { NodeRow } from '../../../ports/node-store.ts';
import { currentAttempt } from '../attempts.ts';
import type { PodAction } from '../pod-action.ts';
import { type PodView, terminalPhase } from '../pod-view.ts';
import { CLAIM_MS, MISSING_FOR_MS, MISSING_READS, RECOVERY_AGE_MS, SIGNATURE_LIFE_MS } from '../timing.ts';
import { isOver } from '../workloads.ts';

/**
 * A new row proves nothing: the table may have been lost. Where the pod has been seen before, its workloads are looked
 * for first; one that was started and is nowhere to be found is lost, never started again.
 */
export const planRecovery = (view: PodView): readonly PodAction[] => {
  const { pod, state, now, found, nodeRow } = view;
  if (pod.kind !== 'found' || state.recovered || terminalPhase(view)) return [];
  if (!nodeRow) return [{ kind: 'read-node' }];
  if (!found && wasSeenBefore(pod.pod, nodeRow, now)) return [{ kind: 'find' }];
  const lost = state.attempts.length === 0 && wasStarted(pod.pod);
  const notFound = { at: state.notFound?.at ?? now, lastAt: now, reads: (state.notFound?.reads ?? 0) + 1 };
  if (lost && found?.isConclusive !== true && !isLasting(notFound)) {
    const until = now + MISSING_FOR_MS / (MISSING_READS - 1);
    return [
      { kind: 'remember', durable: false, state: { ...state, notFound } },
      { kind: 'wait', until },
    ];
  }
  const isHeld = found?.isConclusive !== true && mayBeUnderWay(pod.pod, state);
  const recovered = {
    ...state,
    recovered: true,
    restarts: restartsOf(pod.pod, state),
    ...(isHeld && heldBack(now)),
    ...(lost && { failure: taskLost(now) }),
  };
  return [{ kind: 'remember', durable: false, state: recovered }];
};

/**
 * A request of a holder of the lost row may still arrive. Not while the newest attempt lives: nobody launches the next one
 * before that is over, and without the row nobody could since.
 */
const mayBeUnderWay = (pod: Pod, state: PodState): boolean => {
  const attempt = currentAttempt(state);
  return wasTried(pod) && !(attempt?.observed && !isOver(attempt));
};

/**
 * No launch before the last request of such a holder has died with its signature. The status says why, and says again to
 * whoever finds no row that the pod was tried.
 */
const heldBack = (now: number): Pick<PodState, 'noNewTokenBefore' | 'backOff'> => {
  const seconds = (CLAIM_MS + SIGNATURE_LIFE_MS) / 1_000;
  const until = now + seconds * 1_000;
  return {
    noNewTokenBefore: until,
    backOff: { until, seconds, at: now, reason: 'LaunchUnanswered', message: HELD_BACK },
  };
};

const HELD_BACK = 'a launch of before may still be under way; the next one waits until it can not arrive any more';

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
export const wasTried = (pod: Pod): boolean => wasStarted(pod) || (pod.status?.reason ?? '') !== '';

/** Older than what we remember of its node, or old enough for a row that was lost since. */
const wasSeenBefore = (pod: Pod, nodeRow: NodeRow, now: number): boolean => {
  const created = Date.parse(pod.metadata?.creationTimestamp ?? '');
  return wasStarted(pod) || predatesTable(pod, nodeRow) || now - created > RECOVERY_AGE_MS;
};

/**
 * True for a pod that is older than what we remember of its node: a table that was lost may have held a launch of it, which
 * is still under way, or was told to nobody.
 */
export const predatesTable = (pod: Pod, { adoptedAt = Number.POSITIVE_INFINITY }: NodeRow): boolean =>
  !(Date.parse(pod.metadata?.creationTimestamp ?? '') >= adoptedAt - SECOND);

/** Times of the API server have whole seconds. */
const SECOND = 1_000;
