import type { StatusPatch } from '../../../ports/kubernetes.ts';
import { pushedStatus } from '../plan/report.ts';
import type { PodSync } from '../pod-sync.ts';
import { readingOf, terminalPhase } from '../pod-view.ts';

/** Sends the status. The answer is the newest pod, so that no read follows. @throws {ConflictError} where the pod has moved on. */
export const pushStatus = async (sync: PodSync, patch: StatusPatch): Promise<void> => {
  const { pod, identity, node } = sync.view;
  if (pod.kind !== 'found') return;
  const version = pod.pod.metadata?.resourceVersion ?? '';
  sync.claim.guard();
  const answer = await sync.dependencies.kubernetes.pods.patchStatus(identity, version, patch, sync.signal);
  sync.read(readingOf(answer, identity, node));
  const finished = terminalPhase(sync.view);
  sync.know({
    state: {
      ...sync.state,
      pushedStatus: pushedStatus(patch, answer.metadata?.resourceVersion ?? ''),
      ...(finished && { finished }),
    },
  });
};
