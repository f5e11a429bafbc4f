import type { PodRow, PodState } from '../../model/pod-row.ts';
import type { Workload } from '../../model/workload.ts';
import { absorb } from './attempts.ts';
import { newestOf, type PodReading, type PodView } from './pod-view.ts';
import { SIGNATURE_LIFE_MS } from './timing.ts';

/** What a claim holder knows once it has the row and has read the pod. Pure. */
export const viewOf = (row: PodRow, pod: PodReading, now: number): PodView => {
  const observations = observationsOf(row);
  const state = stateOf(row, now);
  return {
    now,
    identity: row.pod,
    node: row.node,
    pod,
    state: withReading(state, pod, now),
    workloads: newestOf([
      ...observations.filter(({ attempt }) => attempt >= oldestAttempt(state)),
      ...state.attempts.flatMap(({ observed }) => observed ?? []),
    ]),
    announced: [],
  };
};

/** The row's memory with every observation taken in. */
export const stateOf = (row: PodRow, now: number): PodState =>
  absorb(withAbandonedClaim(row), observationsOf(row), { now, fresh: false });

const observationsOf = ({ pod, observations }: PodRow): readonly Workload[] =>
  Object.values(observations).filter(({ podUid }) => podUid === pod.uid);

/** No attempt begins before the one before it is over: what is left of earlier ones, however it was last seen, has ended. */
const oldestAttempt = ({ attempts }: PodState): number => attempts[0]?.attempt ?? 1;

/** A read that finds the pod, or does not, is remembered: one alone proves nothing. */
export const withReading = (state: PodState, pod: PodReading, now: number): PodState => {
  if (pod.kind === 'unread') return state;
  const { podAbsentSince, ...rest } = state;
  if (pod.kind !== 'found') {
    return {
      ...rest,
      podAbsentSince: { at: podAbsentSince?.at ?? now, lastAt: now, reads: (podAbsentSince?.reads ?? 0) + 1 },
    };
  }
  const { deletion, ...others } = rest;
  return deletion?.cause === 'absent' ? others : rest;
};

/**
 * A holder that vanished, unless it has passed the pod on itself, may have a request under way, and may have told the API
 * server of things that are not on the row: the workload is read again before anything is said about it.
 */
const withAbandonedClaim = ({ state, abandonedClaimUntil }: PodRow): PodState => {
  const { passedOnUntil, ...rest } = state;
  if (abandonedClaimUntil === undefined || abandonedClaimUntil === passedOnUntil) return rest;
  // Every request has its intent on the row before it is sent: without one nothing can be under way.
  if (!state.attempts.some(({ launch }) => launch !== undefined)) return rest;
  return {
    ...rest,
    attempts: state.attempts.map(({ seenAt: _seenAt, ...attempt }) => attempt),
    noNewTokenBefore: Math.max(state.noNewTokenBefore ?? 0, abandonedClaimUntil + SIGNATURE_LIFE_MS),
  };
};
