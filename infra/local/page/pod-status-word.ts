import type { Pod } from '../../../src/model/kubernetes.ts';

/** What kubectl prints in the column STATUS, for the cases that this node knows (kubectl's `printPod`). */
export const statusWordOf = ({ metadata, status }: Pod): string => {
  const states = status?.containerStatuses?.map(({ state }) => state) ?? [];
  const waiting = states.find((state) => state?.waiting?.reason)?.waiting?.reason;
  const ended = states.find((state) => state?.terminated?.reason)?.terminated?.reason;
  if (metadata?.deletionTimestamp) return 'Terminating';
  return waiting ?? ended ?? status?.reason ?? status?.phase ?? 'Unknown';
};

export const restartsOf = ({ status }: Pod): number =>
  status?.containerStatuses?.reduce((sum, { restartCount }) => sum + restartCount, 0) ?? 0;
