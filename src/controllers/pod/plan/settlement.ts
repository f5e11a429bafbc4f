import type { Attempt, LaunchIntent } from '../../../model/attempt.ts';
import type { PodState } from '../../../model/pod-row.ts';
import { currentAttempt, withAttempt } from '../attempts.ts';
import type { PodAction } from '../pod-action.ts';
import { isWanted, type PodView } from '../pod-view.ts';
import { LOOK_UP_AFTER_MS, LOOK_UP_AGAIN_MS, LOOK_UP_UNTIL_MS, RESEND_FOR_MS } from '../timing.ts';
import { taskLost } from './recovery.ts';

/** The attempt whose launch went unanswered, with its intent. */
export const openLaunch = (
  state: PodState,
): { readonly attempt: Attempt; readonly intent: LaunchIntent } | undefined => {
  const attempt = currentAttempt(state);
  const intent = attempt?.launch;
  return attempt && intent?.unknown && attempt.workloadId === undefined ? { attempt, intent } : undefined;
};

/** The same bytes may go out again: the pod still wants them, and enough time is left for a look-up afterwards. */
export const mayResend = (view: PodView, intent: LaunchIntent): boolean =>
  isWanted(view) && isSendable(intent, view.now);

/** A request is not sent for ever: its look-up must fall into the time in which not finding it proves something. */
export const isSendable = ({ firstSentAt, request }: LaunchIntent, now: number): boolean =>
  (firstSentAt === undefined || now < firstSentAt + RESEND_FOR_MS) &&
  (request.validUntil === undefined || now < request.validUntil);

/**
 * Settles a launch nobody has answered: send it again for a while, then look for what it may have made. Not found, long
 * enough after the last request and soon enough after the first, is a definite no; not found later proves nothing, and
 * the pod's task counts as lost. A pod that is not wanted any more is only looked up, never launched.
 */
export const planSettlement = (view: PodView): readonly PodAction[] => {
  const { state, now, found } = view;
  const open = openLaunch(state);
  if (!open) return [];
  const { attempt, intent } = open;
  if (mayResend(view, intent)) return now >= (state.backOff?.until ?? 0) ? [{ kind: 'send' }] : [];
  if (!found) return isLookUpDue(view, intent) ? [{ kind: 'find' }] : [];
  if (now < lookUpFrom(intent)) return [];

  const { launch: _launch, ...rest } = attempt;
  const provesAbsence = now <= (intent.firstSentAt ?? now) + LOOK_UP_UNTIL_MS;
  const settled = withAttempt(state, provesAbsence ? { ...rest, try: rest.try + 1 } : { ...rest, lostAt: now });
  const { backOff: _backOff, lookedUpAt: _lookedUpAt, ...next } = settled;
  return [
    {
      kind: 'remember',
      durable: true,
      state: provesAbsence || state.failure ? next : { ...next, failure: taskLost(now) },
    },
  ];
};

/** When a look-up that finds nothing begins to prove something. */
const lookUpFrom = ({ lastSentAt }: LaunchIntent): number => (lastSentAt ?? 0) + LOOK_UP_AFTER_MS;

/** When the launch is looked up next. A pod that must go is looked for at once and every minute: finding is proof. */
export const nextLookUpAt = (view: PodView, intent: LaunchIntent): number => {
  const decisive = lookUpFrom(intent);
  const { lookedUpAt } = view.state;
  if (isWanted(view) || view.now >= decisive)
    return lookedUpAt !== undefined && lookedUpAt >= decisive ? lookedUpAt + LOOK_UP_AGAIN_MS : decisive;
  return Math.min(decisive, lookedUpAt === undefined ? view.now : lookedUpAt + LOOK_UP_AGAIN_MS);
};

const isLookUpDue = (view: PodView, intent: LaunchIntent): boolean => view.now >= nextLookUpAt(view, intent);
