import { delaySecondsAfter } from '../../core/backoff.ts';
import type { Clock } from '../../core/clock.ts';
import { NotFoundError, TransientError } from '../../core/errors.ts';
import type { Workload } from '../../model/workload.ts';
import type { Logger } from '../../ports/logger.ts';
import type { HttpClient } from './http-client.ts';
import { readAnswer, workloadSchema } from './protocol.ts';

const CALL = { method: 'GET', path: 'watch' } as const;
const LONGEST_LINE = 1024 * 1024;
const RECONNECT = { initialSeconds: 1, maxSeconds: 30 };

/**
 * Follows `GET watch` until `signal` aborts: a line of JSON for each workload that is there and for each change. Connects
 * again whenever the stream ends. A service without that path is asked again and again by the controllers instead.
 */
export const watchChanges = async (
  { client, clock, logger }: { readonly client: HttpClient; readonly clock: Clock; readonly logger: Logger },
  onChange: (workload: Workload) => void,
  signal: AbortSignal,
): Promise<void> => {
  for (let failures = 0; !signal.aborted; failures += 1) {
    try {
      for await (const workload of changes(client, signal)) {
        failures = 0;
        if (!signal.aborted) onChange(workload);
      }
    } catch (error) {
      if (error instanceof NotFoundError) {
        logger.info('the service tells of no changes: workloads are read from time to time');
        return;
      }
      if (!signal.aborted) logger.warn('the watch of the service broke off', { error });
    }
    await clock.sleep(delaySecondsAfter(RECONNECT, failures + 1) * 1_000, signal).catch(() => undefined);
  }
};

async function* changes(client: HttpClient, signal: AbortSignal): AsyncGenerator<Workload, void, undefined> {
  for await (const line of lines(client.stream(CALL, signal)))
    if (line.trim() !== '') yield readAnswer(workloadSchema, jsonOf(line), 'GET watch');
}

/** Whole lines only: what the stream broke off in is left out. @throws {TransientError} where one is too long. */
async function* lines(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of bytes) {
    const parts = `${rest}${decoder.decode(chunk, { stream: true })}`.split('\n');
    rest = parts.pop() ?? '';
    if (rest.length > LONGEST_LINE) throw new TransientError(`GET watch: a line is longer than ${LONGEST_LINE}`);
    yield* parts;
  }
}

/** Undefined where the text is not JSON: the schema then says so. */
const jsonOf = (line: string): unknown => {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
};
