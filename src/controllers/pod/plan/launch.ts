import { sha256Hex, stableJson } from '../../../core/digest.ts';
import type { Pod } from '../../../model/kubernetes.ts';
import type { PodState } from '../../../model/pod-row.ts';
import { currentAttempt, mayRun, withAttempt } from '../attempts.ts';
import type { PodAction } from '../pod-action.ts';
import { isWanted, type PodView, terminalPhase } from '../pod-view.ts';
import { REFUSAL_RECHECK_MS } from '../timing.ts';
import { isOver } from '../workloads.ts';
import { wasTried } from './recovery.ts';
import { planReport } from './report.ts';
import { isSendable } from './settlement.ts';

/**
 * Launches the attempt that is due: nothing of the pod may run, nothing holds it back, and the node is adopted. No token but
 * the first is used before the pod itself says that it was tried: should the row get lost, nothing else does.
 */
export const planLaunch = (view: PodView): readonly PodAction[] => {
  const { pod, state, now, nodeRow } = view;
  const due = launchDueAt(view);
  if (due === undefined || now < due) return [];
  if (!nodeRow) return [{ kind: 'read-node' }];
  if (nodeRow.adoptedAt === undefined) return [];
  const attempt = currentAttempt(state);
  const intent = attempt?.launch;
  if (!intent && mayHaveArrived(state)) return [{ kind: 'find' }];
  const untold = (attempt?.try ?? 1) > 1 && pod.kind === 'found' && !wasTried(pod.pod) ? planReport(view) : [];
  if (untold.length > 0) return untold;
  if (!attempt || !intent) return [{ kind: 'prepare', attempt: attempt?.attempt ?? 1, try: attempt?.try ?? 1 }];
  if (isSendable(intent, now)) return [{ kind: 'send' }];
  // Every request was answered, but not for good: before other bytes go out, a look-up must settle these.
  const unsettled = withAttempt(state, { ...attempt, launch: { ...intent, unknown: true } });
  return [{ kind: 'remember', durable: true, state: unsettled }];
};

/** A request of a holder that vanished may have arrived while new tokens were held back. */
const mayHaveArrived = ({ noNewTokenBefore, lookedUpAt }: PodState): boolean =>
  noNewTokenBefore !== undefined && (lookedUpAt ?? 0) < noNewTokenBefore;

/** When the next launch may go out as far as the pod is concerned; undefined where none is wanted. */
export const launchDueAt = (view: PodView): number | undefined => {
  const { pod, state } = view;
  if (pod.kind !== 'found' || !isWanted(view) || terminalPhase(view) || mayRun(state)) return undefined;
  const attempt = currentAttempt(state);
  if (attempt && isOver(attempt)) return undefined;
  const isNewToken = attempt?.launch === undefined;
  return Math.max(
    state.backOff?.until ?? 0,
    isNewToken ? (state.noNewTokenBefore ?? 0) : 0,
    isRefused(pod.pod, state) ? (state.refusal?.at ?? 0) + REFUSAL_RECHECK_MS : 0,
  );
};

/** What was refused stays refused for as long as the pod asks for the same. */
const isRefused = (pod: Pod, { refusal }: PodState): boolean =>
  refusal !== undefined && refusal.fingerprint === fingerprintOf(pod);

/** Names all of a pod that may decide whether it can run. */
export const fingerprintOf = ({ spec, metadata }: Pod): string =>
  sha256Hex(stableJson({ spec, annotations: metadata?.annotations, labels: metadata?.labels }), 16);
