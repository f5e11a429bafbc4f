import type { GetLogEventsCommandInput } from '@aws-sdk/client-cloudwatch-logs';
import type { LogsApi } from '../../../src/providers/fargate/aws/logs-api.ts';
import { awsError } from './aws-error.ts';

interface StoredEvent {
  readonly timestamp: number;
  readonly message: string;
}

type Page = Awaited<ReturnType<LogsApi['getLogEvents']>>;

/**
 * CloudWatch Logs in memory, as GetLogEvents behaves: tokens that move with the reader, an unchanged token at the end,
 * and, where told so, empty pages before it.
 */
export class FakeLogs implements LogsApi {
  /** Events a page holds at most. */
  pageSize = 3;
  /** So many empty pages come before the first events of a reading. */
  emptyPages = 0;
  /** Inputs of all calls, in order. */
  readonly calls: GetLogEventsCommandInput[] = [];
  readonly #group: string;
  readonly #streams = new Map<string, StoredEvent[]>();

  constructor(group: string) {
    this.#group = group;
  }

  /** Adds lines to the stream, which is made with the first. */
  write(stream: string, ...events: readonly StoredEvent[]): void {
    this.#streams.set(stream, [...(this.#streams.get(stream) ?? []), ...events]);
  }

  async getLogEvents(input: GetLogEventsCommandInput): Promise<Page> {
    this.calls.push(input);
    if (input.logGroupName !== this.#group)
      throw awsError('ResourceNotFoundException', 'The specified log group does not exist.');
    const stored = this.#streams.get(input.logStreamName ?? '');
    if (!stored) throw awsError('ResourceNotFoundException', 'The specified log stream does not exist.');
    const events = stored.filter(({ timestamp }) => timestamp >= (input.startTime ?? 0));
    return this.#page(events, input);
  }

  #page(events: readonly StoredEvent[], { nextToken, startFromHead = false, limit }: GetLogEventsCommandInput): Page {
    const size = Math.min(limit ?? this.pageSize, this.pageSize);
    const [direction = startFromHead ? 'f' : 'b', position, waited = '0'] = nextToken?.split('/') ?? [];
    const at = position === undefined ? (direction === 'f' ? 0 : events.length) : Number(position);
    const [from, to] = direction === 'f' ? [at, Math.min(at + size, events.length)] : [Math.max(at - size, 0), at];
    const pending = this.emptyPages - Number(waited);
    if (pending > 0 && to > from) {
      const token = `${direction}/${at}/${Number(waited) + 1}`;
      return { events: [], nextForwardToken: token, nextBackwardToken: token };
    }
    const still = direction === 'f' ? to === at : from === at;
    const mark = `${this.emptyPages}`;
    return {
      events: events.slice(from, to),
      nextForwardToken: still && nextToken && direction === 'f' ? nextToken : `f/${to}/${mark}`,
      nextBackwardToken: still && nextToken && direction === 'b' ? nextToken : `b/${from}/${mark}`,
    };
  }
}
