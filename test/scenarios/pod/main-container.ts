import type { ContainerStatus } from '../../../src/model/kubernetes.ts';
import type { PodWorld } from '../../support/pod-world.ts';

/** The status of the container there is. @throws {Error} where none shows yet. */
export const main = (world: PodWorld): ContainerStatus => {
  const [status] = world.status().containerStatuses ?? [];
  if (!status) throw new Error('there is no container status');
  return status;
};
