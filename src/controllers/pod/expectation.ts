import type { WakeReason } from '../../model/messages.ts';
import type { PodReading } from './pod-view.ts';

/** What the API server was about to do to the pod when the webhook was asked: it shows some 50 ms after our answer. */
export type Expectation = 'created' | 'deleted';

/** What a wake for this reason has seen coming; undefined where whoever sent it has seen it happen. */
export const expectationOf = (reason: WakeReason): Expectation | undefined => {
  switch (reason) {
    case 'create':
      return 'created';
    case 'delete':
      return 'deleted';
    case 'bind':
    case 'resync':
    case 'timer':
    case 'watch':
    case 'requeue':
      return undefined;
    default:
      return reason satisfies never;
  }
};

/**
 * False while the pod was read too early: before it shows what was seen coming, or before its binding does. It may stay so
 * for ever, for what is admitted may still be refused.
 */
export const isSettled = (reading: PodReading, expects: Expectation | undefined): boolean => {
  if (reading.kind === 'unread') return true;
  if (reading.kind === 'unbound') return false;
  switch (expects) {
    case undefined:
      return true;
    case 'created':
      return reading.kind === 'found';
    case 'deleted':
      return reading.kind === 'absent' || reading.pod.metadata?.deletionTimestamp !== undefined;
    default:
      return expects satisfies never;
  }
};
