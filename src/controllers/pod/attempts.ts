import type { Attempt } from '../../model/attempt.ts';
import type { PodState } from '../../model/pod-row.ts';
import type { Workload } from '../../model/workload.ts';
import { keepingHealth, withHealth, withoutHealth } from './health.ts';
import { hasRun, isOver } from './workloads.ts';

export const currentAttempt = ({ attempts }: PodState): Attempt | undefined => attempts.at(-1);

/** The newest attempt whose workload is known. */
export const launchedAttempt = ({ attempts }: PodState): Attempt | undefined =>
  attempts.findLast(({ workloadId }) => workloadId !== undefined);

/** True while a launch request is out whose outcome nobody knows. */
const hasUnknownToken = ({ attempts }: PodState): boolean =>
  attempts.some(({ launch, workloadId }) => workloadId === undefined && launch?.unknown === true);

/** True while something of the pod runs, or may run. */
export const mayRun = (state: PodState): boolean =>
  hasUnknownToken(state) || state.attempts.some((attempt) => attempt.workloadId !== undefined && !isOver(attempt));

/** Replaces the attempt of the same number, or adds it. Only the last two are kept. */
export const withAttempt = (state: PodState, attempt: Attempt): PodState => ({
  ...state,
  attempts: [...state.attempts.filter((other) => other.attempt !== attempt.attempt), attempt]
    .sort((a, b) => a.attempt - b.attempt)
    .slice(-2),
});

/**
 * Takes in what is known of the pod's workloads, the newest version of each. A workload that answers a launch settles it;
 * one of a later attempt than we remember makes that attempt ours. `fresh`: they were read just now.
 */
export const absorb = (
  state: PodState,
  workloads: readonly Workload[],
  { now, fresh }: { readonly now: number; readonly fresh: boolean },
): PodState =>
  [...workloads]
    .sort((a, b) => a.attempt - b.attempt || a.try - b.try)
    .reduce((seen, workload) => absorbOne(seen, workload, { now, fresh }), state);

const absorbOne = (
  state: PodState,
  workload: Workload,
  { now, fresh }: { readonly now: number; readonly fresh: boolean },
): PodState => {
  const known = state.attempts.find(({ attempt }) => attempt === workload.attempt);
  if (known?.workloadId === workload.id) return withNews(state, known, workload, now, fresh);
  const last = currentAttempt(state)?.attempt ?? 0;
  return (known && known.workloadId === undefined) || workload.attempt > last
    ? withStarted(state, workload, now)
    : state;
};

const withNews = (state: PodState, known: Attempt, workload: Workload, now: number, fresh: boolean): PodState => {
  const newer = known.observed === undefined || workload.version > known.observed.version;
  if (!newer && !fresh) return state;
  const { lostAt: _lostAt, ...rest } = known;
  const next: Attempt = { ...rest, observed: newsOf(known.observed, workload, newer), seenAt: now };
  return settledBackOff(withAttempt(withoutMissing(state, workload.id), withHealth(next, now)), workload);
};

/** A version tells apart all but health, which changes without a new one. */
const newsOf = (known: Workload | undefined, workload: Workload, newer: boolean): Workload => {
  if (newer || !known) return keepingHealth(known, workload);
  return workload.version === known.version ? keepingHealth(workload, withoutHealth(known)) : known;
};

/** The launch of this attempt has made this workload. */
export const withStarted = (state: PodState, workload: Workload, now: number): PodState => {
  const known = state.attempts.find(({ attempt }) => attempt === workload.attempt);
  const { launch: _launch, ...rest } = known ?? { attempt: workload.attempt, try: workload.try };
  const started = withAttempt(state, {
    ...rest,
    try: workload.try,
    workloadId: workload.id,
    launchedAt: workload.createdAt ?? now,
    observed: workload,
    seenAt: now,
  });
  return settledBackOff({ ...started, restarts: countedRestarts(state, workload) }, workload);
};

/** A container counts as restarted once its next run is there; those that never ran are not counted. */
const countedRestarts = (state: PodState, workload: Workload): PodState['restarts'] => {
  const before = state.attempts.findLast(({ attempt }) => attempt < workload.attempt)?.observed;
  if (!before) return state.restarts;
  const again = workload.containers.map(({ name }) => name);
  const restarted = before.containers.filter(
    (container) => again.includes(container.name) && hasRun(before, container),
  );
  return {
    ...state.restarts,
    ...Object.fromEntries(restarted.map(({ name }) => [name, (state.restarts[name] ?? 0) + 1])),
  };
};

/** What held the launch back is over once the workload runs. */
const settledBackOff = (state: PodState, workload: Workload): PodState => {
  const runs = workload.containers.some((container) => hasRun(workload, container));
  if (!runs || workload.attempt !== currentAttempt(state)?.attempt) return state;
  const { backOff: _backOff, ...rest } = state;
  return rest;
};

const withoutMissing = (state: PodState, id: string): PodState => {
  if (state.missing?.[id] === undefined) return state;
  const { [id]: _found, ...missing } = state.missing;
  return { ...state, missing };
};
