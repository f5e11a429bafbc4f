import type { PodState } from '../../../model/pod-row.ts';
import { currentAttempt } from '../attempts.ts';
import { isWanted, liveWorkloads, type PodView, terminalPhase } from '../pod-view.ts';
import { ADOPTION_CHECK_MS, CHECK_RUNNING_MS, PULL_ERROR_SHOWN_MS, STOP_AGAIN_MS } from '../timing.ts';
import { isPullError } from '../workloads.ts';
import { deadlineOf } from './ending.ts';
import { launchDueAt } from './launch.ts';
import { hookEndsAt } from './pre-stop.ts';
import { probeVerdictAt } from './probes.ts';
import { mayResend, nextLookUpAt, openLaunch } from './settlement.ts';
import { checkAt, isUndisturbed } from './watch.ts';

/** When the pod must be looked at again without anybody asking; undefined where nothing is to come. */
export const nextCheckAt = (view: PodView): number | undefined => earliest([rereadsAt(view), otherwiseAt(view)]);

/** What a pod waits for about which nothing is left to do now. */
export const nextCheck = (
  view: PodView,
): { readonly until: number | undefined; readonly rereadOnly?: NonNullable<PodState['rereadOnly']> } => {
  const [rereads, otherwise] = [rereadsAt(view), otherwiseAt(view)];
  const until = earliest([rereads, otherwise]);
  return isJustRunning(view) && until === rereads && until !== otherwise
    ? { until, rereadOnly: { ...(otherwise !== undefined && { otherwiseAt: otherwise }) } }
    : { until };
};

/** True where a wanted pod runs, so that reading its workload again is all that is left. */
const isJustRunning = (view: PodView): boolean => {
  const attempt = currentAttempt(view.state);
  const isOpen = view.pod.kind === 'found' && isWanted(view) && terminalPhase(view) === undefined;
  return isOpen && attempt !== undefined && isUndisturbed(attempt, view.state) && liveWorkloads(view).length === 1;
};

const rereadsAt = ({ state }: PodView): number | undefined =>
  earliest(state.attempts.map((attempt) => checkAt(attempt, state)));

const otherwiseAt = (view: PodView): number | undefined =>
  earliest([
    ...liveWorkloads(view).map(({ id, stopping }) => stopAgainAt(view, id, stopping)),
    launchAt(view),
    settlementAt(view),
    deadlineAt(view),
    pullErrorAt(view),
    heldAt(view),
    hookAt(view),
    isWanted(view) && !terminalPhase(view) ? probeVerdictAt(view) : undefined,
  ]);

const earliest = (times: readonly (number | undefined)[]): number | undefined => {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
};

const stopAgainAt = ({ state }: PodView, id: string, stopping: boolean): number | undefined => {
  const sentAt = state.stops?.[id];
  return stopping || sentAt === undefined ? undefined : sentAt + STOP_AGAIN_MS;
};

const launchAt = (view: PodView): number | undefined => {
  const due = launchDueAt(view);
  return due === undefined ? undefined : Math.max(due, due <= view.now ? view.now + ADOPTION_CHECK_MS : 0);
};

const settlementAt = (view: PodView): number | undefined => {
  const open = openLaunch(view.state);
  if (!open) return undefined;
  return mayResend(view, open.intent) ? (view.state.backOff?.until ?? view.now) : nextLookUpAt(view, open.intent);
};

const deadlineAt = (view: PodView): number | undefined =>
  view.pod.kind === 'found' && isWanted(view) && !terminalPhase(view) ? deadlineOf(view.pod.pod) : undefined;

/** ErrImagePull becomes ImagePullBackOff. */
const pullErrorAt = ({ state, now }: PodView): number | undefined => {
  const { backOff } = state;
  const flipsAt = backOff && isPullError(backOff.reason) ? backOff.at + PULL_ERROR_SHOWN_MS : 0;
  return currentAttempt(state) && flipsAt > now ? flipsAt : undefined;
};

/** The end of a preStop hook's sleep. */
const hookAt = (view: PodView): number | undefined => {
  const { pod, state } = view;
  if (pod.kind !== 'found') return undefined;
  const isDeleted = pod.pod.metadata?.deletionTimestamp !== undefined;
  const grace = pod.pod.spec?.terminationGracePeriodSeconds ?? 30;
  const since = isDeleted ? state.deletion?.requestedAt : (state.failure?.at ?? currentAttempt(state)?.failedProbe?.at);
  if (since === undefined) return undefined;
  const graceSeconds = isDeleted ? (state.deletion?.graceSeconds ?? grace) : grace;
  return hookEndsAt(view, pod.pod, { workloads: liveWorkloads(view), since, graceSeconds });
};

/** A deleted pod others hold by finalizers. */
const heldAt = ({ pod, now }: PodView): number | undefined =>
  pod.kind === 'found' && pod.pod.metadata?.deletionTimestamp !== undefined ? now + CHECK_RUNNING_MS : undefined;
