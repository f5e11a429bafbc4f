import type { Pod } from '../../../model/kubernetes.ts';
import type { PodState } from '../../../model/pod-row.ts';
import { currentAttempt } from '../attempts.ts';

/**
 * What took the pod's workload away, where that ends the pod: always, but for a pod of restartPolicy Always without a
 * controller, which nobody else would run again.
 */
export const disruptionOf = (pod: Pod, state: PodState): string | undefined => {
  const end = currentAttempt(state)?.observed?.end;
  if (end?.kind !== 'disrupted' || isRunAgain(pod)) return undefined;
  return `The task was taken away: ${end.message || end.reason}`;
};

/** A bare pod of restartPolicy Always. */
const isRunAgain = ({ spec, metadata }: Pod): boolean =>
  (spec?.restartPolicy ?? 'Always') === 'Always' &&
  !(metadata?.ownerReferences ?? []).some(({ controller }) => controller === true);
