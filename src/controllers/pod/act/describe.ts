import type { PodState } from '../../../model/pod-row.ts';
import { withAttempt } from '../attempts.ts';
import type { PodSync } from '../pod-sync.ts';
import { MISSING_FOR_MS, MISSING_MIN_AGE_MS, MISSING_READS } from '../timing.ts';
import { isOver } from '../workloads.ts';

/** Reads these workloads. */
export const describe = async (sync: PodSync, ids: readonly string[]): Promise<void> => {
  // May answer for workloads of other pods, too.
  const described = await sync.describe(ids, sync.signal);
  sync.observed(described.workloads.filter(({ id }) => ids.includes(id)));
  const missing = described.missing.filter((id) => ids.includes(id));
  const { isConclusive } = sync.dependencies.provider;
  sync.know({ state: missing.reduce((state, id) => withMissing(state, id, sync.now, isConclusive), sync.state) });
};

/** One answer that a workload is not there says little, unless the provider's are conclusive. */
export const withMissing = (state: PodState, id: string, now: number, isConclusive = false): PodState => {
  const attempt = state.attempts.find(({ workloadId }) => workloadId === id);
  if (!attempt || isOver(attempt)) return state;
  const held = state.missing?.[id];
  const absence = { at: held?.at ?? now, lastAt: now, reads: (held?.reads ?? 0) + 1 };
  const isGone =
    isConclusive ||
    (absence.reads >= MISSING_READS &&
      now - absence.at >= MISSING_FOR_MS &&
      now - (attempt.launchedAt ?? now) > MISSING_MIN_AGE_MS);
  const next = { ...state, missing: { ...state.missing, [id]: absence } };
  return isGone ? withAttempt(next, { ...attempt, lostAt: now }) : next;
};
