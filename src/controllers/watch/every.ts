import type { Clock } from '../../core/clock.ts';
import type { Logger } from '../../ports/logger.ts';

/**
 * Does `act` again and again, `ms` after each time it has ended, first after `ms`, until `signal` aborts. A failure is
 * logged, under `what`, and followed by the next time. Never rejects.
 */
export const every = async (
  { ms, what }: { readonly ms: number; readonly what: string },
  { clock, logger, signal }: { readonly clock: Clock; readonly logger: Logger; readonly signal: AbortSignal },
  act: () => Promise<unknown>,
): Promise<void> => {
  for (;;) {
    try {
      await clock.sleep(ms, signal);
    } catch {
      return;
    }
    try {
      await act();
    } catch (error) {
      if (!signal.aborted) logger.warn('periodic work failed; it is tried again', { what, error });
    }
  }
};
