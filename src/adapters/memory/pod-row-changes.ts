import { stableJson } from '../../core/digest.ts';
import { hasSeenPod, type PodWake } from '../../model/messages.ts';
import type { Claim, PodRow } from '../../model/pod-row.ts';
import type { Workload } from '../../model/workload.ts';
import type { RowWrite } from '../../ports/pod-store.ts';

// What each method of the port makes of a row. Pure; a row that does not change is answered as it is.

/** The row of a pod that is woken: made where the message saw the pod and knows its node, undefined where it may not be. */
export const wokenRow = (row: PodRow | undefined, wake: PodWake): PodRow | undefined => {
  if (row) return { ...row, wanted: row.wanted + 1 };
  const { uid, namespace, name, node, reason } = wake;
  return hasSeenPod(reason) && node !== undefined
    ? {
        pod: { namespace, name, uid },
        node,
        wanted: 1,
        seen: 0,
        observations: {},
        state: { attempts: [], restarts: {} },
      }
    : undefined;
};

/** With the observation where it is newer; it wakes only where it says anything but a newer version. */
export const observedRow = (row: PodRow, workload: Workload): PodRow => {
  const known = row.observations[workload.id];
  if (known && known.version >= workload.version) return row;
  const isNews = !known || stableJson({ ...known, version: 0 }) !== stableJson({ ...workload, version: 0 });
  return {
    ...row,
    wanted: isNews ? row.wanted + 1 : row.wanted,
    observations: { ...row.observations, [workload.id]: workload },
  };
};

/** Taken by `claim`; everything woken so far counts as seen. */
export const claimedRow = (row: PodRow, claim: Claim): PodRow => ({
  ...row,
  claim,
  seen: row.wanted,
  nextCheckAt: claim.until,
});

/** With what a holder writes in the middle of its work. */
export const savedRow = (row: PodRow, { nextCheckAt, claimUntil, ...write }: RowWrite): PodRow => ({
  ...withState(row, write),
  ...(nextCheckAt !== undefined && { nextCheckAt }),
  ...(claimUntil !== undefined && row.claim && { claim: { ...row.claim, until: claimUntil } }),
});

/** Free again. Observations of stopped workloads older than the attempts it remembers go. */
export const releasedRow = (row: PodRow, { nextCheckAt, ...write }: RowWrite): PodRow => {
  const { claim: _claim, nextCheckAt: _before, ...rest } = withState(row, write);
  const oldest = write.state.attempts[0]?.attempt ?? 0;
  const kept = Object.entries(row.observations).filter(
    ([, { phase, attempt }]) => phase !== 'stopped' || attempt >= oldest,
  );
  return {
    ...rest,
    observations: Object.fromEntries(kept),
    ...(nextCheckAt !== undefined && { nextCheckAt }),
  };
};

/** With the state a holder has come to. */
export const withState = (row: PodRow, { state, resourceVersion }: RowWrite): PodRow => ({
  ...row,
  state,
  ...(resourceVersion !== undefined && { resourceVersion }),
});
