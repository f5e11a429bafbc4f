import { wholeSecondTime } from '../../core/micro-time.ts';
import type { Node, NodeCondition } from '../../model/kubernetes.ts';
import type { Reachability } from './reachability.ts';

/** Condition type: whether the provider answers. */
export const REACHABLE = 'FargateReachable';

/**
 * Our conditions: heartbeat times are `now`, transition times move only where a status changes. Conditions of other types
 * are not ours and not answered. Pure.
 */
export const toNodeConditions = (
  reachability: Reachability,
  { before, now }: { readonly before: Node | undefined; readonly now: number },
): readonly NodeCondition[] => {
  const time = wholeSecondTime(now);
  return verdicts(reachability).map((verdict) => {
    const known = before?.status?.conditions?.find(({ type }) => type === verdict.type);
    const kept = known?.status === verdict.status ? known.lastTransitionTime : undefined;
    return { ...verdict, lastHeartbeatTime: time, lastTransitionTime: kept ?? time };
  });
};

type Verdict = Required<Pick<NodeCondition, 'type' | 'status' | 'reason' | 'message'>>;

const verdicts = (reachability: Reachability): readonly Verdict[] => [
  ready(reachability),
  reachable(reachability),
  { type: 'MemoryPressure', status: 'False', reason: 'KubeletHasSufficientMemory', message: 'each pod has its own' },
  { type: 'DiskPressure', status: 'False', reason: 'KubeletHasNoDiskPressure', message: 'each pod has its own' },
  { type: 'PIDPressure', status: 'False', reason: 'KubeletHasSufficientPID', message: 'each pod has its own' },
  { type: 'NetworkUnavailable', status: 'False', reason: 'PodsHaveTheirOwnNetwork', message: 'each pod has its own' },
];

const ready = ({ ready, unreachableSince }: Reachability): Verdict => {
  if (ready)
    return { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'the virtual kubelet is running' };
  return { type: 'Ready', status: 'False', reason: 'ProviderUnreachable', message: silence(unreachableSince) };
};

const reachable = ({ reachable, unreachableSince }: Reachability): Verdict => {
  switch (reachable) {
    case 'True':
      return { type: REACHABLE, status: reachable, reason: 'ProviderAnswers', message: 'the provider answers' };
    case 'False':
      return { type: REACHABLE, status: reachable, reason: 'ProviderSilent', message: silence(unreachableSince) };
    case 'Unknown':
      return {
        type: REACHABLE,
        status: reachable,
        reason: 'NotReachedYet',
        message: `${silence(unreachableSince)}; check the function's permissions, region and network`,
      };
    default:
      return reachable satisfies never;
  }
};

const silence = (since: number | undefined): string =>
  since === undefined
    ? 'the provider does not answer'
    : `the provider has not answered since ${wholeSecondTime(since)}; running pods go on, new ones wait`;
