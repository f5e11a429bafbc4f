import type { Attempt } from '../../../model/attempt.ts';
import type { PodState } from '../../../model/pod-row.ts';
import { currentAttempt, withAttempt } from '../attempts.ts';
import { healthEveryMs } from '../health.ts';
import type { PodAction } from '../pod-action.ts';
import type { PodView } from '../pod-view.ts';
import { BEAT_MS, CHECK_RUNNING_MS, CHECK_STARTING_MS, CHECK_STOPPING_MS } from '../timing.ts';
import { isOver } from '../workloads.ts';

/** Reads what has been silent for too long: notifications may get lost, and there are none of health. */
export const planWatch = (view: PodView): readonly PodAction[] => {
  const { pod, state } = view;
  const every = pod.kind === 'found' ? healthEveryMs(pod.pod) : undefined;
  const attempt = currentAttempt(state);
  if (every !== undefined && attempt?.workloadId !== undefined && attempt.healthEveryMs !== every)
    return [{ kind: 'remember', durable: false, state: withAttempt(state, { ...attempt, healthEveryMs: every }) }];
  const ids = dueForCheck(view);
  return ids.length > 0 ? [{ kind: 'describe', ids }] : [];
};

/** Workloads of the pod that must be read again. */
export const dueForCheck = ({ state, now }: Pick<PodView, 'state' | 'now'>): readonly string[] =>
  state.attempts.flatMap((attempt) => {
    const due = checkAt(attempt, state);
    return attempt.workloadId !== undefined && due !== undefined && now >= due ? attempt.workloadId : [];
  });

/** When the attempt's workload must be read again; undefined where it is over. */
export const checkAt = (attempt: Attempt, { missing, stops }: PodView['state']): number | undefined => {
  const { workloadId, observed, seenAt = 0, healthEveryMs: everyMs = CHECK_RUNNING_MS } = attempt;
  if (workloadId === undefined || isOver(attempt)) return undefined;
  const lastAt = Math.max(seenAt, missing?.[workloadId]?.lastAt ?? 0);
  if (missing?.[workloadId]) return lastAt + CHECK_STARTING_MS;
  if (observed?.stopping || stops?.[workloadId] !== undefined) return lastAt + CHECK_STOPPING_MS;
  return observed?.phase === 'running' ? rereadAt(lastAt, everyMs) : lastAt + CHECK_STARTING_MS;
};

/** With the beat, so that all that is due then is read at once; never a whole beat late for what comes right after one. */
const rereadAt = (lastAt: number, everyMs: number): number => Math.floor((lastAt + everyMs) / BEAT_MS) * BEAT_MS;

/** True while the attempt's workload runs and nobody has asked it to stop, nor missed it. */
export const isUndisturbed = ({ workloadId, observed, failedProbe }: Attempt, { missing, stops }: PodState): boolean =>
  workloadId !== undefined &&
  observed?.phase === 'running' &&
  !observed.stopping &&
  failedProbe === undefined &&
  missing?.[workloadId] === undefined &&
  stops?.[workloadId] === undefined;
