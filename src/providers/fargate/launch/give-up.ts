import type { Clock } from '../../../core/clock.ts';
import { TransientError } from '../../../core/errors.ts';

/** @throws {TransientError} once `signal` has aborted: what was begun can be done again. */
export const throwIfGivenUp = (signal: AbortSignal): void => {
  if (signal.aborted) throw new TransientError('given up, because the time is over', { cause: signal.reason });
};

/** Waits. @throws {TransientError} as soon as `signal` aborts. */
export const pause = async (clock: Clock, ms: number, signal: AbortSignal): Promise<void> => {
  try {
    await clock.sleep(ms, signal);
  } catch (error) {
    throwIfGivenUp(signal);
    throw error;
  }
};
