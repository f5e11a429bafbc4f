import type { Attempt } from '../../model/attempt.ts';
import { containerCheck } from '../../model/container-check.ts';
import type { Pod } from '../../model/kubernetes.ts';
import type { Workload } from '../../model/workload.ts';
import { BEAT_MS } from './timing.ts';

/** A workload as it is known now; notifications leave health out, so that the last one known stays. */
export const keepingHealth = (known: Workload | undefined, newer: Workload): Workload => ({
  ...newer,
  containers: newer.containers.map((container) => {
    const health = container.health ?? known?.containers.find(({ name }) => name === container.name)?.health;
    return health === undefined ? container : { ...container, health };
  }),
});

/** The workload as far as its version tells it apart. */
export const withoutHealth = (workload: Workload): Workload => ({
  ...workload,
  containers: workload.containers.map(({ health: _health, ...container }) => container),
});

/** Takes in what the attempt's workload now says about the health of its containers. */
export const withHealth = (attempt: Attempt, now: number): Attempt => {
  const { passed = [], unhealthySince = {}, ...rest } = attempt;
  const containers = attempt.observed?.containers ?? [];
  const healthy = containers.flatMap(({ name, health }) => (health === 'healthy' ? name : []));
  const failing = containers.flatMap(({ name, health }) => (health === 'unhealthy' ? name : []));
  const allPassed = [...new Set([...passed, ...healthy])];
  return {
    ...rest,
    ...(allPassed.length > 0 && { passed: allPassed }),
    ...(failing.length > 0 && {
      unhealthySince: Object.fromEntries(failing.map((name) => [name, unhealthySince[name] ?? now])),
    }),
  };
};

/** True where the workload was read as it is known: no newer version, and the health of none of its containers has changed. */
export const isAsKnown = (known: Workload, read: Workload): boolean =>
  read.version <= known.version &&
  read.containers.every(({ name, health }) => known.containers.find((one) => one.name === name)?.health === health);

/**
 * How often the health of the pod's containers is read, in milliseconds: with every beat, or as rarely as its check runs.
 * Undefined where nothing checks it.
 */
export const healthEveryMs = (pod: Pod): number | undefined => {
  const checks = (pod.spec?.containers ?? []).flatMap((container) => containerCheck(container) ?? []);
  if (checks.length === 0) return undefined;
  return Math.ceil((Math.min(...checks.map(({ interval }) => interval)) * 1_000) / BEAT_MS) * BEAT_MS;
};
