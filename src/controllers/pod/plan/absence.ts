import type { PodState } from '../../../model/pod-row.ts';
import type { Workload } from '../../../model/workload.ts';
import { mayRun } from '../attempts.ts';
import type { PodAction } from '../pod-action.ts';
import { liveWorkloads, type PodView } from '../pod-view.ts';
import { ABSENCE_CHECK_MS, ABSENCE_MIN_AGE_MS, CHECK_RUNNING_MS } from '../timing.ts';
import { nextCheckAt } from './next-check.ts';
import { planStop } from './stop.ts';
import { dueForCheck } from './watch.ts';

/**
 * A pod that is not there any more. Once that is certain its workloads are stopped and its row goes; nothing is touched
 * where the API server turns out to be another cluster's. A pod that is not bound yet counts as absent as long as
 * nothing of it was launched.
 */
export const planAbsence = (view: PodView): readonly PodAction[] => {
  const { pod, state, now } = view;
  if (pod.kind === 'found' || pod.kind === 'unread') return [];
  const live = liveWorkloads(view);
  const certainAt = pod.kind === 'absent' && pod.certain ? now : absenceCertainAt(view, live);
  if (now < certainAt) return [wait(view, certainAt)];
  if (!isRemovedByUs(state) && (live.length > 0 || hasHistory(state))) {
    if (!view.cluster) return [{ kind: 'read-cluster' }];
    const { actual, registered } = view.cluster;
    if (actual === undefined || actual !== registered) return [wait(view, now + CHECK_RUNNING_MS)];
  }
  if (live.length > 0) return planGoneWorkloads(view, live);
  return mayRun(state) ? [wait(view, undefined)] : [{ kind: 'forget' }];
};

const planGoneWorkloads = (view: PodView, live: readonly Workload[]): readonly PodAction[] => {
  const { state, now } = view;
  if (state.deletion === undefined) {
    const deletion = { requestedAt: now, graceSeconds: 30, cause: 'absent' } as const;
    return [{ kind: 'remember', durable: true, state: { ...state, deletion } }];
  }
  const stops = planStop(view, live, { graceSeconds: state.deletion.graceSeconds, reason: 'its pod is gone' });
  if (stops.length > 0) return stops;
  const due = dueForCheck(view);
  return due.length > 0 ? [{ kind: 'describe', ids: due }] : [wait(view, undefined)];
};

/** We deleted it ourselves, and it went: nothing more to find out. */
const isRemovedByUs = ({ deletion }: PodState): boolean => deletion?.sentAt !== undefined;

const hasHistory = ({ attempts, failure, finished }: PodState): boolean =>
  attempts.length > 0 || failure !== undefined || finished !== undefined;

/** A finished pod has nothing left to lose; else two reads must agree, and what runs must be old enough. */
const absenceCertainAt = ({ state, now }: PodView, live: readonly Workload[]): number => {
  if (isRemovedByUs(state) || (state.finished && live.length === 0)) return now;
  const { at, lastAt, reads } = state.podAbsentSince ?? { at: now, lastAt: now, reads: 0 };
  const confirmed = reads >= 2 && lastAt - at >= ABSENCE_CHECK_MS ? now : at + ABSENCE_CHECK_MS;
  return Math.max(confirmed, ...live.map((workload) => startOf(workload, state, now) + ABSENCE_MIN_AGE_MS));
};

const startOf = ({ id, createdAt }: Workload, { attempts }: PodState, now: number): number =>
  createdAt ?? attempts.find(({ workloadId }) => workloadId === id)?.launchedAt ?? now;

const wait = (view: PodView, until: number | undefined): PodAction => {
  const candidates = [until, nextCheckAt(view)].filter((time) => time !== undefined);
  return { kind: 'wait', until: candidates.length === 0 ? view.now + CHECK_RUNNING_MS : Math.min(...candidates) };
};
