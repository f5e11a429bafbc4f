import { type BackOffCurve, nextDelaySeconds, spread } from '../../../core/backoff.ts';
import type { PodState } from '../../../model/pod-row.ts';

/** kubelet's image back-off; also for everything the provider has no room for. */
const DEFAULT_CURVE: BackOffCurve = { initialSeconds: 10, maxSeconds: 300 };

/** What somebody is likely to mend soon, or what costs little to ask for. */
const CURVES: Readonly<Record<string, BackOffCurve>> = {
  CreateContainerConfigError: { initialSeconds: 10, maxSeconds: 60 },
  LaunchUnanswered: { initialSeconds: 10, maxSeconds: 120 },
  Throttled: { initialSeconds: 10, maxSeconds: 60 },
};

/**
 * Holds the next launch back for a reason the pod's status will show. The same reason again waits longer. `chance`, a
 * number in [0, 1), spreads what many pods wait for at once; what a kubelet would make them wait for is not spread.
 */
export const withBackOff = (
  state: PodState,
  {
    reason,
    message,
    now,
    chance = 0,
  }: { readonly reason: string; readonly message: string; readonly now: number; readonly chance?: number },
): PodState => {
  const previous = state.backOff?.reason === reason ? state.backOff.seconds : undefined;
  const seconds = nextDelaySeconds(CURVES[reason] ?? DEFAULT_CURVE, previous);
  return { ...state, backOff: { until: now + spread(seconds * 1_000, chance), seconds, at: now, reason, message } };
};

/** Holds the next launch back until its turn, in milliseconds since the epoch. */
export const withTurn = (
  state: PodState,
  {
    turn,
    reason,
    message,
    now,
  }: { readonly turn: number; readonly reason: string; readonly message: string; readonly now: number },
): PodState => ({
  ...state,
  backOff: { until: turn, seconds: Math.ceil((turn - now) / 1_000), at: now, reason, message },
});
