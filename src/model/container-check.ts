import type { Container } from './kubernetes.ts';

export type ProbeField = 'startupProbe' | 'readinessProbe' | 'livenessProbe';

type Probe = NonNullable<Container[ProbeField]>;

/**
 * The one health check a container can have, within the limits of such checks (those of ECS, container definition parameters,
 * "health check"), and which of its probes it stands for. Times in seconds.
 */
export interface ContainerCheck {
  /** As the pod has it, without any expansion. */
  readonly command: readonly string[];
  readonly serves: readonly ProbeField[];
  /** Exec probes with another command: nobody runs them, and they count as passed. */
  readonly ignores: readonly ProbeField[];
  readonly interval: number;
  readonly timeout: number;
  /** Failures in a row that make it fail. */
  readonly failures: number;
  /** Failures before that do not count. */
  readonly startPeriod: number;
}

export interface ProbeTimes {
  readonly delay: number;
  readonly period: number;
  readonly timeout: number;
  readonly failures: number;
}

/** A probe's times with the API server's defaults. */
export const probeTimes = (probe: Probe | undefined): ProbeTimes => ({
  delay: probe?.initialDelaySeconds ?? 0,
  period: probe?.periodSeconds ?? 10,
  timeout: probe?.timeoutSeconds ?? 1,
  failures: probe?.failureThreshold ?? 3,
});

/** How long after its start a container may take to pass this startup probe, in seconds. */
export const startupBudget = (probe: Probe | undefined): number => {
  const { delay, period, failures } = probeTimes(probe);
  return delay + period * failures;
};

/**
 * The check that stands for a container's exec probes; undefined where it has none. It runs the command of the first of
 * readiness, liveness and startup that is an exec probe, for every one of them that has the same command. Readiness comes
 * first, because others act on it: without a liveness probe a broken container is at least not ready.
 */
export const containerCheck = (container: Container): ContainerCheck | undefined => {
  const asked = FIELDS.filter((field) => commandOf(container[field]) !== undefined);
  const [first] = asked;
  if (first === undefined) return undefined;
  const command = commandOf(container[first]) ?? [];
  const serves = asked.filter((field) => isEqual(commandOf(container[field]) ?? [], command));
  const steady = serves.filter((field) => field !== 'startupProbe');
  const times = (steady.length > 0 ? steady : serves).map((field) => probeTimes(container[field]));
  const budget = serves.includes('startupProbe') ? startupBudget(container.startupProbe) : 0;
  // Where only the start is probed, its budget holds every failure that is allowed.
  const [failures, delays] = steady.length > 0 ? [times[0]?.failures ?? 1, times.map(({ delay }) => delay)] : [1, []];
  return {
    command,
    serves,
    ignores: asked.filter((field) => !serves.includes(field)),
    interval: within(Math.min(...times.map(({ period }) => period)), CHECK_LIMITS.interval),
    timeout: within(Math.max(...times.map(({ timeout }) => timeout)), CHECK_LIMITS.timeout),
    failures: within(failures, CHECK_LIMITS.failures),
    startPeriod: within(Math.max(budget, ...delays), CHECK_LIMITS.startPeriod),
  };
};

type Range = readonly [least: number, most: number];

/** What a health check may be told: seconds, and for `failures` a count. */
export const CHECK_LIMITS: Readonly<Record<'interval' | 'timeout' | 'failures' | 'startPeriod', Range>> = {
  interval: [5, 300],
  timeout: [2, 60],
  failures: [1, 10],
  startPeriod: [0, 300],
};

const within = (value: number, [least, most]: Range): number => Math.min(Math.max(value, least), most);

const FIELDS = ['readinessProbe', 'livenessProbe', 'startupProbe'] as const;

const commandOf = (probe: Probe | undefined): readonly string[] | undefined => probe?.exec?.command;

const isEqual = (a: readonly string[], b: readonly string[]): boolean =>
  a.length === b.length && a.every((word, index) => word === b[index]);
