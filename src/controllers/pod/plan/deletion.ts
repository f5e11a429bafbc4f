import { mayRun } from '../attempts.ts';
import type { PodAction } from '../pod-action.ts';
import { liveWorkloads, type PodView } from '../pod-view.ts';
import { areContainersDown } from '../status/pod-status.ts';
import { stopAfterHook } from './pre-stop.ts';
import { planReport } from './report.ts';

/**
 * A pod that is being deleted: intent on the row, stop, wait for the end, terminal status, and only then the object goes,
 * at once. A pod that was never launched goes at once.
 */
export const planDeletion = (view: PodView): readonly PodAction[] => {
  const { pod, state, now } = view;
  if (pod.kind !== 'found' || pod.pod.metadata?.deletionTimestamp === undefined) return [];
  const { deletionGracePeriodSeconds, finalizers } = pod.pod.metadata;
  const graceSeconds = deletionGracePeriodSeconds ?? pod.pod.spec?.terminationGracePeriodSeconds ?? 30;
  const { deletion } = state;
  if (deletion?.cause !== 'requested' || deletion.graceSeconds !== graceSeconds) {
    const intent = {
      ...deletion,
      cause: 'requested',
      requestedAt: deletion?.requestedAt ?? now,
      graceSeconds,
    } as const;
    return [{ kind: 'remember', durable: mayRun(state), state: { ...state, deletion: intent } }];
  }
  const stops = stopAfterHook(view, pod.pod, {
    workloads: liveWorkloads(view),
    since: deletion.requestedAt,
    graceSeconds,
    reason: 'the pod was deleted',
  });
  if (stops.length > 0) return stops;
  if (!areContainersDown(state)) return [];
  const report = planReport(view);
  if (report.length > 0) return report;
  // The grace period is over on the server and others hold the object: their finalizers decide.
  const isHeldByOthers = graceSeconds === 0 && (finalizers ?? []).length > 0;
  return isHeldByOthers ? [] : [{ kind: 'delete-pod' }];
};
