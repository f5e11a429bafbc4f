import type { Clock } from './clock.ts';
import { TransientError } from './errors.ts';

/**
 * Runs `act` with a signal that aborts when `signal` does or `ms` have passed, and does not wait for an `act` that takes
 * no notice. @throws {TransientError} naming `what` when the time is over.
 */
export const withDeadline = async <T>(
  clock: Clock,
  { ms, what, signal }: { readonly ms: number; readonly what: string; readonly signal: AbortSignal },
  act: (signal: AbortSignal) => Promise<T>,
): Promise<T> => {
  signal.throwIfAborted();
  const done = new AbortController();
  const limit = new AbortController();
  const expired = clock.sleep(ms, AbortSignal.any([done.signal, signal])).then(
    () => {
      const error = new TransientError(`${what}: no answer within ${ms / 1_000} s`);
      limit.abort(error);
      throw error;
    },
    (reason: unknown) => {
      if (!done.signal.aborted) limit.abort(reason);
      throw reason;
    },
  );
  expired.catch(() => undefined);
  try {
    return await Promise.race([act(limit.signal), expired]);
  } finally {
    done.abort();
  }
};
