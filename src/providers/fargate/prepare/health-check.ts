import type { HealthCheck } from '@aws-sdk/client-ecs';
import { expandReferences } from '../../../core/expansion.ts';
import { containerCheck } from '../../../model/container-check.ts';
import type { Container } from '../../../model/kubernetes.ts';

/** Container definition parameters of the ECS developer guide, "health check". */
const LIMITS = { interval: [5, 300], timeout: [2, 60], retries: [1, 10], startPeriod: [0, 300] } as const;

/** The health check that stands for the container's exec probes, as near as Fargate's limits let it come. */
export const healthCheckOf = (container: Container): HealthCheck | undefined => {
  const check = containerCheck(container);
  if (!check) return undefined;
  const startPeriod = within(check.startPeriod, LIMITS.startPeriod);
  return {
    command: ['CMD', ...check.command.map((word) => expanded(word, container))],
    interval: within(check.interval, LIMITS.interval),
    timeout: within(check.timeout, LIMITS.timeout),
    retries: within(check.failures, LIMITS.retries),
    ...(startPeriod > 0 && { startPeriod }),
  };
};

const within = (seconds: number, [least, most]: readonly [number, number]): number =>
  Math.min(Math.max(seconds, least), most);

/** By kubelet's rule for probes, only from variables whose value stands in the pod; others count as empty. */
const expanded = (word: string, { env = [] }: Container): string =>
  expandReferences(word, (name) => {
    const variable = env.findLast((one) => one.name === name);
    return variable && (variable.value ?? '');
  });
