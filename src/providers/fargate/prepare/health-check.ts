import type { HealthCheck } from '@aws-sdk/client-ecs';
import { expandReferences } from '../../../core/expansion.ts';
import { containerCheck } from '../../../model/container-check.ts';
import type { Container } from '../../../model/kubernetes.ts';

/** The health check that stands for the container's exec probes, as near as its limits let it come. */
export const healthCheckOf = (container: Container): HealthCheck | undefined => {
  const check = containerCheck(container);
  if (!check) return undefined;
  return {
    command: ['CMD', ...check.command.map((word) => expanded(word, container))],
    interval: check.interval,
    timeout: check.timeout,
    retries: check.failures,
    ...(check.startPeriod > 0 && { startPeriod: check.startPeriod }),
  };
};

/** By kubelet's rule for probes, only from variables whose value stands in the pod; others count as empty. */
const expanded = (word: string, { env = [] }: Container): string =>
  expandReferences(word, (name) => {
    const variable = env.findLast((one) => one.name === name);
    return variable && (variable.value ?? '');
  });
