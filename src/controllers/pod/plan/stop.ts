import type { Workload } from '../../../model/workload.ts';
import { currentAttempt } from '../attempts.ts';
import type { PodAction } from '../pod-action.ts';
import { liveWorkloads, type PodView } from '../pod-view.ts';
import { STOP_AGAIN_MS } from '../timing.ts';

/** Stops what is not on its way out yet, once; again only where the first request shows no effect. */
export const planStop = (
  { state, now }: PodView,
  workloads: readonly Workload[],
  how: { readonly graceSeconds: number; readonly reason: string },
): readonly PodAction[] =>
  workloads
    .filter(({ id, stopping }) => !stopping && now >= (state.stops?.[id] ?? Number.NEGATIVE_INFINITY) + STOP_AGAIN_MS)
    .map(({ id }) => ({ kind: 'stop', workloadId: id, ...how }));

/** A pod has one workload. Whatever else runs for it is stopped: it must never have been started. */
export const planStrays = (view: PodView): readonly PodAction[] => {
  const current = currentAttempt(view.state)?.workloadId;
  const strays = liveWorkloads(view).filter(({ id }) => id !== current);
  return planStop(view, strays, { graceSeconds: 0, reason: 'another task runs this pod' });
};
