import type { Clock } from '../../core/clock.ts';
import type { Pod } from '../../model/kubernetes.ts';
import { requestLog } from './kubelet-requests.ts';
import { LogLines } from './log-lines.ts';
import { type LogRange, logQuery } from './log-query.ts';
import type { PodEndpoint } from './pod-endpoint.ts';

export interface LogOptions extends LogRange {
  readonly follow: boolean;
  readonly timestamps: boolean;
}

const ASK_EVERY_MS = 2000;
/** Lines of a container that has ended arrive for some seconds more. */
const LINGER_MS = 12_000;

/**
 * Prints a container's log. Followed, it is asked for again every two seconds from the last line on: an HTTP API holds
 * answers back and ends them after 30 s, so that a stream would come in jerks. Ends when the container has. @throws
 * {UsageError} for a range that cannot be.
 */
export const printLog = async (
  endpoint: PodEndpoint,
  options: LogOptions,
  print: (text: string) => void,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> => {
  const query = logQuery(options);
  if (!options.follow) {
    if (options.timestamps) query.set('timestamps', 'true');
    print(await requestLog(endpoint, query, signal));
    return;
  }
  query.set('timestamps', 'true');
  const lines = new LogLines();
  let endedAt: number | undefined;
  for (;;) {
    const over = endedAt !== undefined && clock.now() - endedAt >= LINGER_MS;
    for (const { time, text } of lines.newOf(await requestLog(endpoint, query, signal)))
      print(options.timestamps ? `${time} ${text}\n` : `${text}\n`);
    if (over) return;
    if (lines.since !== undefined) {
      query.delete('tailLines');
      query.delete('sinceSeconds');
      query.set('sinceTime', lines.since);
    }
    if (endedAt === undefined && hasEnded(await endpoint.pod(signal), endpoint.container)) endedAt = clock.now();
    await clock.sleep(ASK_EVERY_MS, signal);
  }
};

const hasEnded = (pod: Pod | undefined, container: string): boolean => {
  if (pod === undefined) return true;
  const { phase, containerStatuses = [], initContainerStatuses = [] } = pod.status ?? {};
  if (phase === 'Succeeded' || phase === 'Failed') return true;
  const found = [...containerStatuses, ...initContainerStatuses].find(({ name }) => name === container);
  return found?.state?.terminated !== undefined;
};
