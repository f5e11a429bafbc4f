import type { Clock } from '../../../core/clock.ts';
import { NotFoundError } from '../../../core/errors.ts';
import type { LogQuery } from '../../../model/log-query.ts';
import { limitBytes } from '../../logs/limit-bytes.ts';
import { firstMillisecond } from '../../logs/log-window.ts';
import type { LogsApi } from '../aws/logs-api.ts';
import { logStreamOf } from '../deployment.ts';
import type { TaskReader } from '../tasks/task-reader.ts';
import { type ContainerProgress, progressOf } from './container-progress.ts';
import { LogFormatter, type LogLine } from './log-format.ts';
import { LogStream } from './log-stream.ts';
import { readForward, readTail } from './read-pages.ts';

export interface LogDependencies {
  readonly logs: LogsApi;
  readonly tasks: TaskReader;
  readonly clock: Clock;
  readonly logGroup: string;
}

const SHORTEST_POLL_MS = 1000;
const LONGEST_POLL_MS = 5000;
/** Lines reach CloudWatch up to 10 s after they were written. */
const INGESTION_LAG_MS = 10_000;
const PROGRESS_EVERY_MS = 5000;

/**
 * A container's output by kubelet's rules: the last `tailLines` of what is not older than `sinceTime`, formatted, cut at
 * `limitBytes`. With `follow` it goes on, asking every second while there is news and every five while there is none,
 * until the container has ended and its last lines have had time to arrive. Ends quietly when `signal` aborts.
 * @throws {NotFoundError} where the container has not started, or is not known and has left no output.
 */
export async function* readLogs(
  deps: LogDependencies,
  query: LogQuery,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void> {
  const startTime = query.sinceTime === undefined ? undefined : firstMillisecond(query.sinceTime);
  const names = { group: deps.logGroup, stream: logStreamOf(query.container, query.workloadId) };
  const reading = new LogReading(deps, query, new LogStream(deps.logs, names, startTime), signal);
  try {
    yield* limitBytes(formatted(reading.lines(), query), query.limitBytes);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

async function* formatted(
  pages: AsyncIterable<readonly LogLine[]>,
  { timestamps }: LogQuery,
): AsyncGenerator<Uint8Array, void> {
  const formatter = new LogFormatter({ timestamps });
  for await (const lines of pages) yield formatter.format(lines);
}

class LogReading {
  readonly #deps: LogDependencies;
  readonly #query: LogQuery;
  readonly #stream: LogStream;
  readonly #signal: AbortSignal;
  #progress: ContainerProgress = { kind: 'unknown' };
  #progressAt = Number.NEGATIVE_INFINITY;
  /** Where to go on; undefined: from the beginning. */
  #token: string | undefined;

  constructor(deps: LogDependencies, query: LogQuery, stream: LogStream, signal: AbortSignal) {
    this.#deps = deps;
    this.#query = query;
    this.#stream = stream;
    this.#signal = signal;
  }

  async *lines(): AsyncGenerator<readonly LogLine[], void> {
    const there = yield* this.#whatIsThere();
    if (!there) await this.#requireStart();
    if (this.#query.follow) yield* this.#whatComes();
  }

  /** False where there is no stream. */
  async *#whatIsThere(): AsyncGenerator<readonly LogLine[], boolean> {
    const { tailLines } = this.#query;
    try {
      if (tailLines === undefined) {
        this.#token = yield* readForward(this.#stream, undefined, this.#signal);
      } else {
        const { lines, token } = await readTail(this.#stream, tailLines, this.#signal);
        this.#token = token;
        if (lines.length > 0) yield lines;
      }
      return true;
    } catch (error) {
      if (error instanceof NotFoundError) return false;
      throw error;
    }
  }

  async #requireStart(): Promise<void> {
    const { kind } = await this.#freshProgress();
    if (kind === 'waiting' || kind === 'unknown')
      throw new NotFoundError(`container "${this.#query.container}" has written nothing: it has not started`);
  }

  async *#whatComes(): AsyncGenerator<readonly LogLine[], void> {
    const { clock } = this.#deps;
    for (let pause = SHORTEST_POLL_MS; ; ) {
      const over = await this.#isOver();
      let news = false;
      for await (const lines of this.#newLines()) {
        news = true;
        yield lines;
      }
      if (over && !news) return;
      if (news) pause = SHORTEST_POLL_MS;
      await clock.sleep(pause, this.#signal);
      pause = Math.min(pause * 1.5, LONGEST_POLL_MS);
    }
  }

  async *#newLines(): AsyncGenerator<readonly LogLine[], void> {
    try {
      this.#token = yield* readForward(this.#stream, this.#token, this.#signal);
    } catch (error) {
      // The stream is made with the first line.
      if (!(error instanceof NotFoundError)) throw error;
    }
  }

  /** True once nothing can come any more; asked before a page is read, so that this page is the last. */
  async #isOver(): Promise<boolean> {
    const { clock } = this.#deps;
    const settled = this.#progress.kind === 'ended' || clock.now() - this.#progressAt < PROGRESS_EVERY_MS;
    const progress = settled ? this.#progress : await this.#freshProgress();
    if (progress.kind === 'unknown') return true;
    return progress.kind === 'ended' && clock.now() - progress.at >= INGESTION_LAG_MS;
  }

  async #freshProgress(): Promise<ContainerProgress> {
    const { clock, tasks } = this.#deps;
    const { workloadId, container } = this.#query;
    this.#progressAt = clock.now();
    this.#progress = await progressOf(tasks, workloadId, container, clock.now(), this.#signal);
    return this.#progress;
  }
}
