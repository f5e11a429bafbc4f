import { expect, it } from 'vitest';
import { planPodSync } from '../../../../../src/controllers/pod/plan/plan-pod-sync.ts';
import type { PodAction } from '../../../../../src/controllers/pod/pod-action.ts';
import type { Attempt } from '../../../../../src/model/attempt.ts';
import type { PodState } from '../../../../../src/model/pod-row.ts';
import { aView, type ViewWish } from '../../../../support/a-view.ts';
import { anAttempt, aWorkload, NOW, seconds } from '../../../../support/a-workload.ts';

/** What is known of a pod, and what must follow from it. */
export interface Race extends ViewWish {
  readonly when: string;
  readonly then: readonly string[];
}

/** Of a pod that was deleted with the grace period it asked for. */
export const DELETED = { deletionTimestamp: '2030-01-01T12:00:30Z', deletionGracePeriodSeconds: 30 } as const;
/** What is remembered of that. */
export const requested = { requestedAt: NOW, graceSeconds: 30, cause: 'requested' } as const;
/** The pod was read as absent so often, for the first time so long ago. */
export const absent = (reads: number, agoSeconds: number): NonNullable<PodState['podAbsentSince']> => ({
  at: NOW - seconds(agoSeconds),
  lastAt: NOW,
  reads,
});
/** The cluster that answers is the one the node was registered with. */
export const cluster = { actual: 'cluster-1', registered: 'cluster-1' };
/** An attempt whose workload runs. */
export const running = anAttempt(aWorkload());

/** An intent whose requests went out so long ago. */
export const sent = (firstAgoMs: number, lastAgoMs: number, wish: Partial<Attempt['launch']> = {}): Attempt => ({
  attempt: 1,
  try: 1,
  launch: {
    request: { body: 'bytes' },
    firstSentAt: NOW - firstAgoMs,
    lastSentAt: NOW - lastAgoMs,
    unknown: true,
    ...wish,
  },
});

/** A test for each of them, within `describe`. */
export const raceTests = (races: readonly Race[]): void => {
  it.each(races)('$when: $then', ({ when: _when, then, ...wish }) => {
    expect(planOf(wish)).toEqual(then);
  });
};

/** What is planned for such a pod, in one word each, with what matters of it. */
export const planOf = (wish: ViewWish): string[] => words(planPodSync(aView(wish)));

const words = (actions: readonly PodAction[]): string[] =>
  actions.map((action) => {
    switch (action.kind) {
      case 'prepare':
        return `prepare ${action.attempt}.${action.try}`;
      case 'stop':
        return `stop ${action.workloadId} within ${action.graceSeconds} s`;
      case 'describe':
        return `describe ${action.ids.join()}`;
      case 'remember':
        return action.durable ? 'remember durably' : 'remember';
      case 'wait':
        return action.until === undefined ? 'wait' : `wait ${(action.until - NOW) / 1_000} s`;
      default:
        return action.kind;
    }
  });
