import type { Attempt } from '../../../model/attempt.ts';
import { containerCheck, probeTimes, startupBudget } from '../../../model/container-check.ts';
import type { Container, Pod } from '../../../model/kubernetes.ts';
import { currentAttempt, withAttempt } from '../attempts.ts';
import type { PodAction } from '../pod-action.ts';
import { isWanted, type PodView, terminalPhase } from '../pod-view.ts';
import { isOver } from '../workloads.ts';
import { stopAfterHook } from './pre-stop.ts';

type FailedProbe = NonNullable<Attempt['failedProbe']>;

/**
 * Ends a run whose liveness or startup probe has failed by kubelet's thresholds; its restart is decided like that of any
 * other run that has ended. The verdict is on the row before anything is stopped, and stays.
 */
export const planProbes = (view: PodView): readonly PodAction[] => {
  const { pod, state, now } = view;
  const attempt = currentAttempt(state);
  if (pod.kind !== 'found' || !isWanted(view) || terminalPhase(view) || !attempt || isOver(attempt)) return [];
  if (attempt.failedProbe) {
    const { container, probe, at } = attempt.failedProbe;
    return stopAfterHook(view, pod.pod, {
      workloads: view.workloads.filter(({ id }) => id === attempt.workloadId),
      since: at,
      graceSeconds: pod.pod.spec?.terminationGracePeriodSeconds ?? 30,
      reason: `the ${probe} probe of container ${container} failed`,
    });
  }
  const failed = verdicts(pod.pod, attempt).find(({ dueAt }) => now >= dueAt);
  return failed
    ? [
        {
          kind: 'remember',
          durable: true,
          state: withAttempt(state, { ...attempt, failedProbe: toFailedProbe(failed, now) }),
        },
      ]
    : [];
};

/** When the patience with a failing probe is at its end, should it fail until then; undefined where none fails. */
export const probeVerdictAt = ({ pod, state }: PodView): number | undefined => {
  const attempt = currentAttempt(state);
  if (pod.kind !== 'found' || !attempt || isOver(attempt) || attempt.failedProbe) return undefined;
  const times = verdicts(pod.pod, attempt).map(({ dueAt }) => dueAt);
  return times.length === 0 ? undefined : Math.min(...times);
};

interface Verdict extends Omit<FailedProbe, 'at'> {
  readonly dueAt: number;
}

const toFailedProbe = ({ container, probe }: Verdict, at: number): FailedProbe => ({ container, probe, at });

const verdicts = ({ spec }: Pod, attempt: Attempt): readonly Verdict[] =>
  (spec?.containers ?? []).flatMap((container) => verdictOf(container, attempt) ?? []);

const verdictOf = (container: Container, attempt: Attempt): Verdict | undefined => {
  const check = containerCheck(container);
  const { name } = container;
  const startedAt = attempt.observed?.startedAt;
  const current = attempt.observed?.containers.find((one) => one.name === name);
  const since = attempt.unhealthySince?.[name];
  if (!check || since === undefined || startedAt === undefined || current?.state !== 'running') return undefined;
  if (check.serves.includes('startupProbe') && !attempt.passed?.includes(name))
    return { container: name, probe: 'startup', dueAt: startedAt + startupBudget(container.startupProbe) * 1_000 };
  if (!check.serves.includes('livenessProbe')) return undefined;
  const { delay, period, failures } = probeTimes(container.livenessProbe);
  // The check may fail sooner than this probe would, for the sake of another one.
  const patience = Math.max(0, failures * period - check.failures * check.interval);
  const dueAt = Math.max(since + patience * 1_000, startedAt + (delay + failures * period) * 1_000);
  return { container: name, probe: 'liveness', dueAt };
};
