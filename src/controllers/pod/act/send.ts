import type { Attempt, LaunchIntent } from '../../../model/attempt.ts';
import type { LaunchResult } from '../../../model/launch.ts';
import type { PodState } from '../../../model/pod-row.ts';
import type { Workload } from '../../../model/workload.ts';
import { currentAttempt, withAttempt, withStarted } from '../attempts.ts';
import { ClaimLostError } from '../held-claim.ts';
import { withBackOff, withTurn } from '../plan/back-off.ts';
import type { PodSync } from '../pod-sync.ts';
import { isPullError } from '../workloads.ts';
import { takeLaunchTurn } from './launch-turn.ts';
import { noteCapacity } from './note-capacity.ts';
import { pendingText, REFUSAL_REASONS } from './pending-text.ts';
import { refuse } from './prepare.ts';

/**
 * Sends the launch request of the attempt that is due, once: intent on the row, request, outcome on the row. Until the
 * outcome is written the token counts as unknown, so that a holder that dies in between leaves the truth behind.
 */
export const send = async (sync: PodSync): Promise<void> => {
  const attempt = currentAttempt(sync.state);
  if (!attempt?.launch) return;
  const wasUnknown = attempt.launch.unknown;
  const sent: LaunchIntent = {
    ...attempt.launch,
    firstSentAt: attempt.launch.firstSentAt ?? sync.now,
    lastSentAt: sync.now,
    unknown: true,
  };
  sync.know({ state: withAttempt(sync.state, { ...attempt, launch: sent }) });
  await sync.save();
  sync.claim.guard();
  const result = await sync.dependencies.provider.launch(sent.request, sync.signal);
  const turn = result.kind === 'refused' && result.cause === 'throttled' ? await takeLaunchTurn(sync) : undefined;
  takeResult(sync, { ...attempt, launch: sent }, result, { wasUnknown, turn });
  await saveOutcome(sync, result);
  await noteCapacity(sync, result);
};

const takeResult = (
  sync: PodSync,
  attempt: Attempt & { readonly launch: LaunchIntent },
  result: LaunchResult,
  known: { readonly wasUnknown: boolean; readonly turn: number | undefined },
): void => {
  const { logger, random } = sync.dependencies;
  const pod = sync.view.identity;
  switch (result.kind) {
    case 'started':
      logger.info('workload launched', { pod, workloadId: result.workload.id, attempt: attempt.attempt });
      return takeStarted(sync, result.workload);
    case 'unknown':
      logger.warn('launch unanswered', { pod, attempt: attempt.attempt, message: result.message });
      return sync.know({
        state: withBackOff(sync.state, {
          reason: 'LaunchUnanswered',
          message: UNANSWERED,
          now: sync.now,
          chance: random.next(),
        }),
      });
    case 'refused':
      logger.warn('launch refused', { pod, attempt: attempt.attempt, cause: result.cause, message: result.message });
      return takeRefusal(sync, attempt, result, known);
    default:
      result satisfies never;
  }
};

const UNANSWERED = 'the launch went unanswered; it is asked for again until its outcome is known';

const takeStarted = (sync: PodSync, workload: Workload): void => {
  const { backOff, ...state } = withStarted(sync.state, workload, sync.now);
  // A pull that failed before keeps showing until the image is there, as with a kubelet.
  const kept = backOff && isPullError(backOff.reason) ? { backOff } : {};
  sync.know({ state: { ...state, ...kept } });
  sync.observed([workload]);
};

/** A refusal settles the token only where it is final and no request under it ever went unanswered. */
const takeRefusal = (
  sync: PodSync,
  attempt: Attempt & { readonly launch: LaunchIntent },
  { cause, final, message }: Extract<LaunchResult, { readonly kind: 'refused' }>,
  { wasUnknown, turn }: { readonly wasUnknown: boolean; readonly turn: number | undefined },
): void => {
  const { launch, ...rest } = attempt;
  const settled = final && !wasUnknown;
  const next: Attempt = settled
    ? { ...rest, try: rest.try + 1 }
    : { ...rest, launch: { ...launch, unknown: wasUnknown } };
  const state: PodState = withAttempt(sync.state, next);
  const why = { reason: REFUSAL_REASONS[cause], message: pendingText(cause, message), now: sync.now };
  sync.know({
    state:
      turn === undefined
        ? withBackOff(state, { ...why, chance: sync.dependencies.random.next() })
        : withTurn(state, { ...why, turn }),
  });
  const { pod } = sync.view;
  if (cause === 'invalid' && settled && pod.kind === 'found') {
    refuse(sync, pod.pod, [{ field: 'spec', message }]);
  }
};

/** A workload nobody will ever know of must not stay: where the row is gone, it is stopped at once. */
const saveOutcome = async (sync: PodSync, result: LaunchResult): Promise<void> => {
  try {
    await sync.save();
  } catch (error) {
    const { podStore, provider, logger } = sync.dependencies;
    const { uid } = sync.view.identity;
    if (error instanceof ClaimLostError && result.kind === 'started' && !(await podStore.get(uid))) {
      logger.error('the row of a pod just launched is gone: its workload is stopped', { pod: sync.view.identity });
      await provider.stop(result.workload.id, { graceSeconds: 0, reason: 'nobody remembers its pod' }, sync.signal);
    }
    throw error;
  }
};
