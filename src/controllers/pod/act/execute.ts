import type { PodAction } from '../pod-action.ts';
import type { PodSync } from '../pod-sync.ts';
import { deletePod } from './delete-pod.ts';
import { describe } from './describe.ts';
import { find } from './find.ts';
import { prepare } from './prepare.ts';
import { pushStatus } from './push-status.ts';
import { readCluster } from './read-cluster.ts';
import { readLogTails } from './read-log-tails.ts';
import { readNode } from './read-node.ts';
import { recordEvents } from './record-events.ts';
import { remember } from './remember.ts';
import { send } from './send.ts';
import { stop } from './stop.ts';

/** A step that does not end the reconcile. */
export type PodStep = Exclude<PodAction, { readonly kind: 'wait' | 'forget' }>;

/** Does one step; what came of it is known to `sync` afterwards. */
export const execute = (sync: PodSync, action: PodStep): Promise<void> => {
  switch (action.kind) {
    case 'read-node':
      return readNode(sync);
    case 'read-cluster':
      return readCluster(sync);
    case 'describe':
      return describe(sync, action.ids);
    case 'find':
      return find(sync);
    case 'read-log-tails':
      return readLogTails(sync, action);
    case 'remember':
      return remember(sync, action.state, action.durable);
    case 'prepare':
      return prepare(sync, { attempt: action.attempt, try: action.try });
    case 'send':
      return send(sync);
    case 'stop':
      return stop(sync, action);
    case 'push-status':
      return pushStatus(sync, action.patch);
    case 'record':
      return recordEvents(sync, action.events);
    case 'delete-pod':
      return deletePod(sync);
    default:
      action satisfies never;
      return Promise.resolve();
  }
};
