import { PermanentError } from '../../core/errors.ts';
import type { TelemetryServer } from '../../ports/metrics.ts';
import type { RunMeans } from './run-means.ts';
import type { RunOptions } from './run-options.ts';

/**
 * Serves figures and readiness where the options say so; undefined where they don't, or where the address is taken and
 * nobody has asked for it. @throws {PermanentError} where somebody has.
 */
export const serveMetrics = async (
  { metrics }: Pick<RunOptions, 'metrics'>,
  { telemetry, logger }: Pick<RunMeans, 'telemetry' | 'logger'>,
  isReady: () => boolean,
): Promise<TelemetryServer | undefined> => {
  if (metrics === undefined) return undefined;
  try {
    return await telemetry.serve(metrics, isReady);
  } catch (cause) {
    const address = `${metrics.host}:${metrics.port}`;
    if (metrics.isRequired)
      throw new PermanentError(`--metrics-addr ${address} cannot be listened at: choose another`, { cause });
    logger.warn('metrics are not served: the address is taken; choose another by --metrics-addr', { address });
    return undefined;
  }
};
