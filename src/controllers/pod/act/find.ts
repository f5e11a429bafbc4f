import type { PodSync } from '../pod-sync.ts';

/** Asks the provider for every workload of the pod. */
export const find = async (sync: PodSync): Promise<void> => {
  const workloads = await sync.dependencies.provider.find(sync.view.identity.uid, sync.signal);
  sync.observed(workloads);
  sync.know({ found: { workloads }, state: { ...sync.state, lookedUpAt: sync.now } });
};
