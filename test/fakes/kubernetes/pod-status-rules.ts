import { isIPv6 } from 'node:net';
import { InvalidError } from '../../../src/core/errors.ts';
import type { Pod, PodStatus } from '../../../src/model/kubernetes.ts';

/**
 * What the API server refuses in a new pod status (ValidatePodStatusUpdate), as far as we could ever trip over it.
 * @throws {InvalidError} in the server's words.
 */
export const checkPodStatus = (pod: Pod, next: PodStatus): void => {
  const refuse = (field: string, message: string): never => {
    throw new InvalidError(`Pod "${pod.metadata?.name}" is invalid: ${field}: ${message}`);
  };
  const ips = (next.podIPs ?? []).map(({ ip }) => ip ?? '');
  for (const family of [ips.filter((ip) => isIPv6(ip)), ips.filter((ip) => !isIPv6(ip))])
    if (family.length > 1) refuse('status.podIPs', 'may specify no more than one IP for each IP family');
  if (pod.status?.qosClass !== undefined && next.qosClass !== pod.status.qosClass)
    refuse('status.qosClass', 'field is immutable once set');
  const types = (next.conditions ?? []).map(({ type }) => type);
  if (new Set(types).size < types.length) refuse('status.conditions', 'Duplicate value');
  for (const before of pod.status?.containerStatuses ?? []) {
    const ended = before.state?.terminated;
    const policy = pod.spec?.restartPolicy;
    if (!ended || policy === 'Always' || (policy === 'OnFailure' && ended.exitCode !== 0)) continue;
    const after = next.containerStatuses?.find(({ name }) => name === before.name);
    if (after && !after.state?.terminated)
      refuse('status.containerStatuses.state', 'may not be transitioned to non-terminated state');
  }
};
