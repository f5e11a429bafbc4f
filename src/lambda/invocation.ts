import type { Context } from 'aws-lambda';
import type { Clock } from '../core/clock.ts';
import { TransientError } from '../core/errors.ts';

/** What is kept back of a function's time to answer and to be logged. */
const RESERVE_MS = 2_000;

/** What we need of Lambda's context. */
export type InvocationContext = Pick<Context, 'getRemainingTimeInMillis'>;

/** Milliseconds an invocation may still work. */
export const workingTimeMs = (context: InvocationContext): number =>
  Math.max(0, context.getRemainingTimeInMillis() - RESERVE_MS);

/** An invocation's time as a signal. */
export interface Invocation {
  /** Aborts two seconds before the function's time is over, or with `abort`. */
  readonly signal: AbortSignal;
  readonly abort: (reason: Error) => void;
  /** To be called when the work is done: ends the wait for the deadline. */
  readonly close: () => void;
}

export const openInvocation = (context: InvocationContext, clock: Clock): Invocation => {
  const limit = new AbortController();
  const done = new AbortController();
  clock.sleep(workingTimeMs(context), done.signal).then(
    () => limit.abort(new TransientError('the time of the invocation is over')),
    () => undefined,
  );
  return {
    signal: limit.signal,
    abort: (reason) => limit.abort(reason),
    close: () => done.abort(),
  };
};
