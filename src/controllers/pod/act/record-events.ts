import { ConflictError } from '../../../core/errors.ts';
import type { PodEvent } from '../../../model/pod-event.ts';
import { kubernetesEvent, rememberedKeys } from '../events/kubernetes-event.ts';
import type { PodSync } from '../pod-sync.ts';

/** Records events, each once, best effort: one that cannot be recorded is lost, and nothing else is. */
export const recordEvents = async (sync: PodSync, events: readonly PodEvent[]): Promise<void> => {
  const { kubernetes, logger } = sync.dependencies;
  const { identity, node } = sync.view;
  await Promise.all(
    events.map(async (event) => {
      try {
        await kubernetes.events.create(kubernetesEvent(identity, node, event, sync.now), sync.signal);
      } catch (error) {
        if (!(error instanceof ConflictError))
          logger.warn('event not recorded', { pod: identity, reason: event.reason, error });
      }
    }),
  );
  const oldest = Math.min(...sync.state.attempts.map(({ attempt }) => attempt));
  const keys = [...(sync.state.recorded ?? []), ...events.map(({ key }) => key)];
  sync.know({ state: { ...sync.state, recorded: rememberedKeys(keys, Number.isFinite(oldest) ? oldest : 0) } });
};
