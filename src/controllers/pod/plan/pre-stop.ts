import type { Pod } from '../../../model/kubernetes.ts';
import type { Workload } from '../../../model/workload.ts';
import type { PodAction } from '../pod-action.ts';
import type { PodView } from '../pod-view.ts';
import { planStop } from './stop.ts';

/** An end that somebody has asked for, and since when. */
export interface RequestedEnd {
  readonly workloads: readonly Workload[];
  /** Milliseconds since the epoch. */
  readonly since: number;
  readonly graceSeconds: number;
  readonly reason: string;
}

/**
 * Stops workloads once the sleep of their `preStop` hook is over, which counts in the grace period as with a kubelet. What
 * does not run yet, or is stopped without grace, does not sleep.
 */
export const stopAfterHook = (view: PodView, pod: Pod, end: RequestedEnd): readonly PodAction[] => {
  const due = end.workloads.filter((workload) => view.now >= stopAt(pod, workload, end));
  return planStop(view, due, { graceSeconds: end.graceSeconds, reason: end.reason });
};

/** When the first workload that still sleeps is stopped; undefined where none does. */
export const hookEndsAt = (view: PodView, pod: Pod, end: Omit<RequestedEnd, 'reason'>): number | undefined => {
  const times = end.workloads
    .filter(({ stopping }) => !stopping)
    .map((workload) => stopAt(pod, workload, end))
    .filter((at) => at > view.now);
  return times.length === 0 ? undefined : Math.min(...times);
};

const stopAt = (
  pod: Pod,
  { phase }: Workload,
  { since, graceSeconds }: Pick<RequestedEnd, 'since' | 'graceSeconds'>,
): number => (phase === 'running' ? since + Math.min(preStopSleepSeconds(pod), graceSeconds) * 1_000 : since);

/** The longest one decides: a task is stopped as a whole. */
const preStopSleepSeconds = ({ spec }: Pod): number =>
  Math.max(0, ...(spec?.containers ?? []).map(({ lifecycle }) => lifecycle?.preStop?.sleep?.seconds ?? 0));
