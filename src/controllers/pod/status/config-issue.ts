import type { PodCondition } from '../../../model/kubernetes.ts';
import type { PodState } from '../../../model/pod-row.ts';
import { isUnsupported } from '../provider-words.ts';
import { isPullError } from '../workloads.ts';
import { refusalText } from './waiting.ts';

/** After so long a wait for an image it has failed more than once: registries have bad moments. */
const FIRST_WAIT_SECONDS = 10;

/** What is wrong with a pod that only its author can mend; undefined where nothing is known to be. */
export const configIssueOf = ({
  refusal,
  backOff,
}: PodState): { readonly reason: string; readonly message: string } | undefined => {
  if (refusal) return refusalText(refusal);
  if (!backOff || !isConfigIssue(backOff.reason)) return undefined;
  const isSettled = !isPullError(backOff.reason) || backOff.seconds > FIRST_WAIT_SECONDS;
  return isSettled ? backOff : undefined;
};

/** True for a condition of ours: people write conditions of this type, too, which are left to them. */
export const isOwnConfigIssue = ({ type, reason = '' }: PodCondition): boolean =>
  type === 'ConfigIssue' && (isUnsupported(reason) || isConfigIssue(reason));

const isConfigIssue = (reason: string): boolean =>
  reason === 'CreateContainerConfigError' || (isPullError(reason) && reason !== 'RegistryUnavailable');
