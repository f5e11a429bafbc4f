import type { PodWake } from '../../model/messages.ts';
import type { Workload } from '../../model/workload.ts';

/** A message of a batch as the worker takes it in. `nothing`: none of ours, or superseded. */
export type PodMessage =
  | { readonly kind: 'wake'; readonly wake: PodWake }
  | { readonly kind: 'observation'; readonly workload: Workload }
  | { readonly kind: 'nothing' };

export const NOTHING: PodMessage = { kind: 'nothing' };

/** Of several observations of one workload in a batch only the newest counts. */
export const withoutSuperseded = (messages: readonly PodMessage[]): readonly PodMessage[] => {
  const newest = new Map<string, number>();
  for (const message of messages) {
    if (message.kind !== 'observation') continue;
    const { id, version } = message.workload;
    newest.set(id, Math.max(version, newest.get(id) ?? version));
  }
  return messages.map((message) =>
    message.kind === 'observation' && message.workload.version !== newest.get(message.workload.id) ? NOTHING : message,
  );
};
