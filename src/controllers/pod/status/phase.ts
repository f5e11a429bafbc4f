import type { ContainerStatus, Pod } from '../../../model/kubernetes.ts';

export type Phase = 'Pending' | 'Running' | 'Succeeded' | 'Failed';

/**
 * The pod's phase from its container statuses, by kubelet's getPhase. `terminal`: the pod is to end and nothing of it
 * runs any more, so that the restart policy does not matter.
 */
export const phaseOf = (
  { spec }: Pod,
  statuses: { readonly containers: readonly ContainerStatus[]; readonly initContainers: readonly ContainerStatus[] },
  terminal: boolean,
): Phase => {
  const { containers, initContainers } = statuses;
  const policy = spec?.restartPolicy ?? 'Always';
  if (terminal) return containers.length > 0 && containers.every(hasSucceeded) ? 'Succeeded' : 'Failed';

  const started = containers.some(
    ({ state, lastState }) => state?.running ?? state?.terminated ?? lastState?.terminated,
  );
  const initFailed = initContainers.some(({ state }) => state?.terminated && state.terminated.exitCode !== 0);
  const initPending = initContainers.some(({ state }) => state?.terminated?.exitCode !== 0);
  if (!started && initContainers.length > 0 && initPending) {
    return initFailed && policy === 'Never' ? 'Failed' : 'Pending';
  }
  if (containers.length === 0 || containers.some(isCreating)) return 'Pending';
  if (containers.some(({ state }) => state?.running)) return 'Running';
  if (policy === 'Always') return 'Running';
  if (containers.every(hasSucceeded)) return 'Succeeded';
  if (policy === 'Never') return 'Failed';
  return 'Running';
};

/** Waiting for its first start. One that waits for a restart counts as stopped. */
const isCreating = ({ state, lastState }: ContainerStatus): boolean =>
  state?.running === undefined && state?.terminated === undefined && lastState?.terminated === undefined;

const hasSucceeded = ({ state }: ContainerStatus): boolean => state?.terminated?.exitCode === 0;
