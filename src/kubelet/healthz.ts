import type { Logger } from '../ports/logger.ts';
import type { KubeletRequest, KubeletResponse } from './http.ts';
import { text } from './responses.ts';

/** Something `/healthz` looks at. Rejects where it is not well. */
export interface HealthCheck {
  readonly name: string;
  check(signal: AbortSignal): Promise<void>;
}

/** Answering at all is the first check, as kubelet's `ping`. */
const PING: HealthCheck = { name: 'ping', check: async () => undefined };

/**
 * `GET /healthz` (every check; `?verbose` lists them) and `GET /healthz/{check}` (one of them; 404 where there is none of
 * that name). What went wrong is told to the log, not to the caller, as kubelet does.
 */
export const getHealthz = async (
  request: KubeletRequest,
  name: string | undefined,
  extra: readonly HealthCheck[],
  logger: Logger,
): Promise<KubeletResponse> => {
  const checks = [PING, ...extra].filter((check) => name === undefined || check.name === name);
  if (checks.length === 0) return text(404, '404: Page Not Found');
  const results = await Promise.all(checks.map((check) => run(check, request.signal, logger)));
  const lines = results.map(({ check, well }) =>
    well ? `[+]${check.name} ok` : `[-]${check.name} failed: reason withheld`,
  );
  if (results.some(({ well }) => !well)) return text(500, `${lines.join('\n')}\nhealthz check failed\n`);
  return text(200, request.query.has('verbose') ? `${lines.join('\n')}\nhealthz check passed\n` : 'ok');
};

const run = async (
  check: HealthCheck,
  signal: AbortSignal,
  logger: Logger,
): Promise<{ readonly check: HealthCheck; readonly well: boolean }> => {
  try {
    await check.check(signal);
    return { check, well: true };
  } catch (error) {
    logger.warn('health check failed', { check: check.name, error });
    return { check, well: false };
  }
};
