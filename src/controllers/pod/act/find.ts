import type { PodSync } from '../pod-sync.ts';

/** Asks the provider for every workload of the pod. */
export const find = async (sync: PodSync): Promise<void> => {
  const { provider } = sync.dependencies;
  const workloads = await provider.find(sync.view.identity.uid, sync.signal);
  sync.observed(workloads);
  const found = { workloads, isConclusive: provider.isConclusive === true };
  sync.know({ found, state: { ...sync.state, lookedUpAt: sync.now } });
};
