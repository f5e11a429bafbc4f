import type { Pod } from '../../../model/kubernetes.ts';
import type { PodEvent } from '../../../model/pod-event.ts';
import type { PodState } from '../../../model/pod-row.ts';
import { attemptEvents } from './attempt-events.ts';
import { backOffEvents } from './back-off-events.ts';
import { verdictEvents } from './verdict-events.ts';

/**
 * Every event the pod should have had by now, in order, as far as the row remembers: those already recorded are for the
 * caller to leave out. Pure.
 */
export const podEvents = (pod: Pod, state: PodState, now: number): readonly PodEvent[] => [
  ...state.attempts.flatMap((attempt) => attemptEvents(pod, state, attempt)),
  ...backOffEvents(pod, state, now),
  ...verdictEvents(pod, state),
];
