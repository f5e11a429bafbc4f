import { withServerRestarts } from '../observe.ts';
import type { PodSync } from '../pod-sync.ts';

/** Asks the provider for every workload of the pod. */
export const find = async (sync: PodSync): Promise<void> => {
  const before = sync.state;
  const workloads = await sync.dependencies.provider.find(sync.view.identity.uid, sync.signal);
  sync.observed(workloads);
  sync.know({
    found: { workloads },
    state: { ...withServerRestarts(sync.state, before, sync.view.pod), lookedUpAt: sync.now },
  });
};
