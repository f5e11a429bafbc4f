import { ConflictError, NotFoundError } from '../../../core/errors.ts';
import type { PodSync } from '../pod-sync.ts';

/** Lets the API object go. One that is gone, or whose name another pod has, is what was wanted. */
export const deletePod = async (sync: PodSync): Promise<void> => {
  const { pod, identity } = sync.view;
  sync.claim.guard();
  try {
    await sync.dependencies.kubernetes.pods.delete(identity, { graceSeconds: 0 }, sync.signal);
  } catch (error) {
    if (!(error instanceof NotFoundError || error instanceof ConflictError)) throw error;
  }
  const { deletion } = sync.state;
  const finalizers = pod.kind === 'found' ? (pod.pod.metadata?.finalizers ?? []) : [];
  const requested = deletion ?? { requestedAt: sync.now, graceSeconds: 0, cause: 'requested' as const };
  const isHeld = finalizers.length > 0 && pod.kind === 'found';
  sync.know({
    state: { ...sync.state, deletion: { ...requested, sentAt: sync.now, ...(isHeld && { graceSeconds: 0 }) } },
  });
  sync.read(isHeld ? { kind: 'found', pod: withoutGrace(pod.pod) } : { kind: 'absent' });
};

/** As the server keeps a pod that only finalizers hold. */
const withoutGrace = <T extends { metadata?: object }>(pod: T): T => ({
  ...pod,
  metadata: { ...pod.metadata, deletionGracePeriodSeconds: 0 },
});
