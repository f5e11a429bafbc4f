import { sha256Hex, stableJson } from '../../../core/digest.ts';
import { podEvents } from '../events/pod-events.ts';
import type { PodAction } from '../pod-action.ts';
import { type PodView, terminalPhase } from '../pod-view.ts';
import { podStatus } from '../status/pod-status.ts';
import { statusPatch } from '../status/status-patch.ts';
import { planLogTails } from './log-tails.ts';

/** Tells the API server what is new: the status first, then events. A terminal phase is never touched again. */
export const planReport = (view: PodView): readonly PodAction[] => {
  const { pod, state, now } = view;
  if (pod.kind !== 'found') return [];
  const tails = terminalPhase(view) ? [] : planLogTails(view);
  if (tails.length > 0) return tails;
  const patch = terminalPhase(view) ? undefined : statusPatch(pod.pod.status, podStatus(pod.pod, state, now));
  const version = pod.pod.metadata?.resourceVersion ?? '';
  if (patch && state.pushedStatus !== pushedStatus(patch, version)) return [{ kind: 'push-status', patch }];
  const events = [...podEvents(pod.pod, state, now), ...view.announced].filter(
    ({ key }) => !state.recorded?.includes(key),
  );
  return events.length > 0 ? [{ kind: 'record', events }] : [];
};

/**
 * Names a patch and the version of the pod that came of it. A server that keeps less than it was given (fields it does not
 * know) would be patched for ever: the same patch is not sent again until somebody else has changed the pod.
 */
export const pushedStatus = (patch: unknown, resourceVersion: string): string =>
  `${sha256Hex(stableJson(patch), 16)}:${resourceVersion}`;
