import type { PodState } from '../../../model/pod-row.ts';
import type { PodAction } from '../pod-action.ts';
import type { PodSync } from '../pod-sync.ts';

/** Asks the provider to stop a workload. */
export const stop = async (
  sync: PodSync,
  { workloadId, graceSeconds, reason }: Extract<PodAction, { readonly kind: 'stop' }>,
): Promise<void> => {
  const { provider, logger } = sync.dependencies;
  sync.claim.guard();
  await provider.stop(workloadId, { graceSeconds, reason }, sync.signal);
  logger.info('workload asked to stop', { pod: sync.view.identity, workloadId, reason });
  sync.know({ state: { ...sync.state, stops: { ...knownStops(sync), [workloadId]: sync.now } } });
};

/** Of workloads that anybody still tells of: a pod may be restarted for ever, and its row must not grow. */
const knownStops = ({ view: { state, workloads } }: PodSync): PodState['stops'] =>
  Object.fromEntries(
    Object.entries(state.stops ?? {}).filter(([id]) => workloads.some((workload) => workload.id === id)),
  );
