import type { PodSync } from '../pod-sync.ts';

/** Reads whether anything may be launched on the node. */
export const readNode = async (sync: PodSync): Promise<void> => {
  sync.know({ nodeRow: (await sync.dependencies.nodeStore.get(sync.view.node)) ?? {} });
};
