import { type BackOffCurve, nextDelaySeconds } from '../../../core/backoff.ts';
import type { Attempt } from '../../../model/attempt.ts';
import type { Pod } from '../../../model/kubernetes.ts';
import type { BackOff, PodState } from '../../../model/pod-row.ts';
import type { Workload, WorkloadContainer } from '../../../model/workload.ts';
import { withAttempt } from '../attempts.ts';
import { crashLoopMessage } from '../status/waiting.ts';
import { CRASH_RESET_MS } from '../timing.ts';
import { endOf, hasRun } from '../workloads.ts';
import { withBackOff } from './back-off.ts';

/** kubelet's: 10 s, doubling to 5 min. */
const CRASH_CURVE: BackOffCurve = { initialSeconds: 10, maxSeconds: 300 };

/**
 * What follows a workload that is over: the state with the next attempt and its back-off, or undefined where the pod is
 * over too. A workload that never ran is tried again whatever the restart policy says, as kubelet does.
 */
export const afterRun = (pod: Pod, state: PodState, attempt: Attempt, now: number): PodState | undefined => {
  const workload = attempt.observed;
  if (!workload) return undefined;
  const ran = workload.containers.filter((container) => hasRun(workload, container));
  const next = withAttempt(state, { attempt: attempt.attempt + 1, try: 1 });
  if (ran.length === 0) {
    const { reason, message } = failedStart(workload);
    return withBackOff(next, { reason, message, now });
  }
  const again = ran.filter((container) => mustRunAgain(pod, container, attempt));
  return again.length === 0 ? undefined : withCrashes(pod, next, again, endOf(workload) ?? now, now);
};

const failedStart = ({ end }: Workload): { readonly reason: string; readonly message: string } =>
  end?.kind === 'failed-to-start'
    ? { reason: end.reason, message: end.message || end.reason }
    : { reason: 'ContainerCreating', message: end?.message || 'the task stopped before its containers ran' };

const mustRunAgain = (pod: Pod, { exitCode }: WorkloadContainer, attempt: Attempt): boolean => {
  const policy = pod.spec?.restartPolicy ?? 'Always';
  return policy === 'Always' || (policy === 'OnFailure' && exitCode !== 0) || isRestartedForProbe(pod, attempt);
};

/** kubelet restarts what it ends for a failed probe however that exits, but where nothing is restarted. */
export const isRestartedForProbe = ({ spec }: Pod, attempt: Attempt | undefined): boolean =>
  attempt?.failedProbe !== undefined && spec?.restartPolicy !== 'Never';

/**
 * The first crash is followed by a restart at once, every further one by a longer wait, until one has run for long. What
 * holds the pod back for longer goes on doing so.
 */
const withCrashes = (
  pod: Pod,
  state: PodState,
  crashed: readonly WorkloadContainer[],
  finishedAt: number,
  now: number,
): PodState => {
  const waits = crashed.map(({ name }) => {
    const held = state.crashes?.[name];
    const isFresh = held !== undefined && finishedAt - held.at <= CRASH_RESET_MS;
    return {
      name,
      seconds: isFresh ? held.seconds : 0,
      next: nextDelaySeconds(CRASH_CURVE, isFresh ? held.seconds : undefined),
    };
  });
  const seconds = Math.max(...waits.map((wait) => wait.seconds));
  const until = Math.max(now, finishedAt + seconds * 1_000);
  const crashes = Object.fromEntries(waits.map(({ name, next }) => [name, { seconds: next, at: until }]));
  const { backOff: held, ...rest } = state;
  const backOff: BackOff | undefined =
    held && held.until > until
      ? held
      : seconds === 0
        ? undefined
        : {
            until,
            seconds,
            at: now,
            reason: 'CrashLoopBackOff',
            message: crashLoopMessage(pod, waits[0]?.name ?? '', seconds),
          };
  return { ...rest, crashes: { ...state.crashes, ...crashes }, ...(backOff && { backOff }) };
};
