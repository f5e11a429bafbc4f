import type { PodAction } from '../pod-action.ts';
import type { PodView } from '../pod-view.ts';
import { planAbsence } from './absence.ts';
import { planDeletion } from './deletion.ts';
import { planEnding } from './ending.ts';
import { planLaunch } from './launch.ts';
import { nextCheck } from './next-check.ts';
import { planProbes } from './probes.ts';
import { planRecovery } from './recovery.ts';
import { planReport } from './report.ts';
import { planSettlement } from './settlement.ts';
import { planStrays } from './stop.ts';
import { planWatch } from './watch.ts';

/** In the order of their claims on the pod: what is known before what is done, what must go before what may start. */
const CONCERNS = [
  planRecovery,
  planSettlement,
  planAbsence,
  planStrays,
  planDeletion,
  planEnding,
  planProbes,
  planLaunch,
  planWatch,
  planReport,
] as const;

/**
 * The next steps for one pod: those of the first concern that has any. Pure; the same view always gives the same plan.
 * A plan that ends with `wait` or `forget` is the last one, any other is followed by a new plan from what then is known.
 */
export const planPodSync = (view: PodView): readonly PodAction[] => {
  for (const concern of CONCERNS) {
    const actions = concern(view);
    if (actions.length > 0) return actions;
  }
  return [{ kind: 'wait', ...nextCheck(view) }];
};
