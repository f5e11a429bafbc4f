import { NotFoundError, PermanentError } from '../../../core/errors.ts';
import { awsFaultOf, translateAwsError } from '../aws/errors.ts';
import type { LogsApi } from '../aws/logs-api.ts';
import type { LogLine } from './log-format.ts';

export interface LogPage {
  readonly lines: readonly LogLine[];
  /** Where to go on towards newer lines; always there once a page has been read. */
  readonly forwardToken: string | undefined;
  readonly backwardToken: string | undefined;
}

/** One container's stream of one log group, page by page. */
export class LogStream {
  readonly #logs: LogsApi;
  readonly #group: string;
  readonly #stream: string;
  readonly #startTime: number | undefined;

  /** `startTime`: milliseconds since the epoch, inclusive. */
  constructor(
    logs: LogsApi,
    names: { readonly group: string; readonly stream: string },
    startTime: number | undefined,
  ) {
    this.#logs = logs;
    this.#group = names.group;
    this.#stream = names.stream;
    this.#startTime = startTime;
  }

  /**
   * The page at `token`, or without one the first (`fromHead`) or the newest.
   * @throws {NotFoundError} where there is no such stream (yet).
   * @throws {PermanentError} where there is no such group.
   */
  async page(
    options: { readonly token?: string | undefined; readonly fromHead: boolean; readonly limit?: number },
    signal: AbortSignal,
  ): Promise<LogPage> {
    const { token, fromHead, limit } = options;
    try {
      const {
        events = [],
        nextForwardToken,
        nextBackwardToken,
      } = await this.#logs.getLogEvents(
        {
          logGroupName: this.#group,
          logStreamName: this.#stream,
          startFromHead: fromHead,
          ...(limit !== undefined && { limit }),
          ...(token !== undefined && { nextToken: token }),
          ...(this.#startTime !== undefined && { startTime: this.#startTime }),
        },
        signal,
      );
      return {
        lines: events.map(({ timestamp = 0, message = '' }) => ({ timestamp, message })),
        forwardToken: nextForwardToken,
        backwardToken: nextBackwardToken,
      };
    } catch (error) {
      throw this.#translate(error);
    }
  }

  #translate(error: unknown): Error {
    const fault = awsFaultOf(error);
    if (fault.kind === 'not-found' && /log group/i.test(fault.message))
      return new PermanentError(`log group ${this.#group} does not exist: deploy again to create it`, { cause: error });
    if (fault.kind === 'not-found')
      return new NotFoundError(`there is no log stream ${this.#stream}`, { cause: error });
    return translateAwsError(error, 'CloudWatch GetLogEvents');
  }
}
