import type { PodState } from '../../../model/pod-row.ts';
import type { PodSync } from '../pod-sync.ts';

/** Takes a decision; a durable one is on the row before anything follows from it. */
export const remember = async (sync: PodSync, state: PodState, durable: boolean): Promise<void> => {
  sync.know({ state });
  if (durable) await sync.save();
};
