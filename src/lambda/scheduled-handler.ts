import { withDeadline } from '../core/deadline.ts';
import { workingTimeMs } from './invocation.ts';
import { type LambdaHandler, type LambdaOptions, lambdaHandler } from './lambda-handler.ts';

/**
 * Runs `run` at each call of a schedule, whatever the event says. A failed run is logged once here and fails the
 * invocation with a constant text, so that the function's error metric counts it; the next run is the retry.
 */
export const scheduledHandler = (
  run: (signal: AbortSignal) => Promise<unknown>,
  options: LambdaOptions,
): LambdaHandler<void> => {
  const { clock, logger } = options;
  return lambdaHandler(async (_event, context) => {
    const deadline = { ms: workingTimeMs(context), what: 'the run', signal: new AbortController().signal };
    try {
      await withDeadline(clock, deadline, run);
    } catch (error) {
      logger.error('run failed', { error });
      // oxlint-disable-next-line eslint/preserve-caught-error -- Lambda logs causes, too, and does not redact them.
      throw new Error('the run failed: see the log above');
    }
  }, options);
};
