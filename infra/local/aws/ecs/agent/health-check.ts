import type { Clock } from '../../../../../src/core/clock.ts';
import type { ContainerInput } from '../definitions/schema.ts';
import type { Health } from '../tasks/task-record.ts';

type Check = NonNullable<ContainerInput['healthCheck']>;

interface Options {
  readonly check: Check;
  readonly clock: Clock;
  /** Aborts when the container has ended. */
  readonly signal: AbortSignal;
  readonly exec: (command: readonly string[], signal: AbortSignal) => Promise<number | undefined>;
  readonly report: (health: Health) => void;
}

/**
 * Runs the check as Docker does: first after one interval, failures within the start period do not count, UNHEALTHY after
 * `retries` failures in a row. Resolves when the container has ended.
 */
export const watchHealth = async ({ check, clock, signal, exec, report }: Options): Promise<void> => {
  const command = commandOf(check);
  if (!command) return;
  const { interval = 30, timeout = 5, retries = 3, startPeriod = 0 } = check;
  const startedAt = clock.now();
  let failures = 0;
  let everHealthy = false;
  try {
    for (;;) {
      await clock.sleep(interval * 1000, signal);
      const healthy = (await within(clock, timeout * 1000, signal, (limit) => exec(command, limit))) === 0;
      signal.throwIfAborted();
      if (healthy) {
        failures = 0;
        everHealthy = true;
        report('HEALTHY');
      } else if (everHealthy || clock.now() - startedAt >= startPeriod * 1000) {
        failures += 1;
        if (failures >= retries) report('UNHEALTHY');
      }
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  }
};

const commandOf = ({ command = [] }: Check): readonly string[] | undefined => {
  const [form, ...rest] = command;
  if (form === 'CMD') return rest;
  return form === 'CMD-SHELL' ? ['/bin/sh', '-c', rest.join(' ')] : undefined;
};

/** The result of `act`; undefined when it failed or took longer than `ms`, of which its signal tells it. */
const within = async <T>(
  clock: Clock,
  ms: number,
  signal: AbortSignal,
  act: (signal: AbortSignal) => Promise<T | undefined>,
): Promise<T | undefined> => {
  const done = new AbortController();
  const limit = AbortSignal.any([signal, done.signal]);
  try {
    return await Promise.race([act(limit).catch(() => undefined), clock.sleep(ms, limit).then(() => undefined)]);
  } finally {
    done.abort(new Error('the health check is over'));
  }
};
