import type { LaunchResult } from '../../../model/launch.ts';
import type { NodeFields, NodeRow } from '../../../ports/node-store.ts';
import type { PodSync } from '../pod-sync.ts';
import { OUT_OF_CAPACITY_MS, OUT_OF_CAPACITY_PODS } from '../timing.ts';

/** Lets the node know that launches are refused for want of room, or are not any more. Best effort. */
export const noteCapacity = async (sync: PodSync, result: LaunchResult): Promise<void> => {
  const { nodeStore, logger } = sync.dependencies;
  const { node, identity, nodeRow } = sync.view;
  const lacks = result.kind === 'refused' && (result.cause === 'capacity' || result.cause === 'quota');
  const recovers = result.kind === 'started' && (nodeRow?.refusals ?? nodeRow?.outOfCapacityUntil) !== undefined;
  if (!lacks && !recovers) return;
  try {
    const fields = lacks
      ? withRefusal((await nodeStore.get(node)) ?? {}, identity.uid, {
          isQuota: result.cause === 'quota',
          now: sync.now,
        })
      : { refusals: undefined, outOfCapacityUntil: undefined };
    await nodeStore.put(node, fields);
  } catch (error) {
    logger.warn('capacity of the node not noted', { node, error });
  }
};

/** Three pods, or one answer about the account's quota, make the node leave the scheduler's choice for a while. */
export const withRefusal = (
  row: NodeRow,
  podUid: string,
  { isQuota, now }: { readonly isQuota: boolean; readonly now: number },
): NodeFields => {
  const others = Object.entries(row.refusals ?? {}).filter(
    ([uid, at]) => uid !== podUid && now - at < OUT_OF_CAPACITY_MS,
  );
  // No more than count: every refusal of a burst writes this row.
  const latest = [...others].sort(([, a], [, b]) => b - a).slice(0, OUT_OF_CAPACITY_PODS - 1);
  const refusals = { ...Object.fromEntries(latest), [podUid]: now };
  const wasOut = (row.outOfCapacityUntil ?? 0) > now;
  const isOut = isQuota || wasOut || Object.keys(refusals).length >= OUT_OF_CAPACITY_PODS;
  return { refusals, ...(isOut && { outOfCapacityUntil: now + OUT_OF_CAPACITY_MS }) };
};
