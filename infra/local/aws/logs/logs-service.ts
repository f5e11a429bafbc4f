import { answerFor } from '../answer-for.ts';
import type { BucketName, Throttles } from '../throttles.ts';
import type { LogsContext } from './context.ts';
import { filterLogEvents } from './filter-log-events.ts';
import { getLogEvents } from './get-log-events.ts';
import { createLogGroup, deleteLogGroup, describeLogGroups, putRetentionPolicy } from './groups.ts';
import type { StoredEvent } from './log-store.ts';
import { putLogEvents } from './put-log-events.ts';
import { createLogStream, deleteLogStream, describeLogStreams } from './streams.ts';

interface Action {
  readonly bucket: BucketName;
  readonly run: (context: LogsContext, input: unknown) => unknown;
}

const actions: Readonly<Record<string, Action>> = {
  CreateLogGroup: { bucket: 'logs-other', run: createLogGroup },
  DeleteLogGroup: { bucket: 'logs-other', run: deleteLogGroup },
  DescribeLogGroups: { bucket: 'logs-other', run: describeLogGroups },
  PutRetentionPolicy: { bucket: 'logs-other', run: putRetentionPolicy },
  CreateLogStream: { bucket: 'logs-other', run: createLogStream },
  DeleteLogStream: { bucket: 'logs-other', run: deleteLogStream },
  DescribeLogStreams: { bucket: 'describe-log-streams', run: describeLogStreams },
  PutLogEvents: { bucket: 'put-log-events', run: putLogEvents },
  GetLogEvents: { bucket: 'get-log-events', run: getLogEvents },
  FilterLogEvents: { bucket: 'filter-log-events', run: filterLogEvents },
};

/** CloudWatch Logs, in memory. */
export class LogsService {
  readonly #context: LogsContext;
  readonly #throttles: Throttles;

  constructor(context: LogsContext, throttles: Throttles) {
    this.#context = context;
    this.#throttles = throttles;
  }

  /** What a stream shows now and has ingested since `after`, a sequence number; for those on this machine who only look. */
  tail(group: string, stream: string, after: number): readonly StoredEvent[] {
    const { store } = this.#context;
    const found = store.group(group)?.streams.get(stream);
    return found ? store.visible(found).filter(({ sequence }) => sequence > after) : [];
  }

  /** @throws {AwsError | NoAnswer} as the ECS service does. */
  handle(action: string, input: unknown): Promise<unknown> {
    const { faults } = this.#context;
    return answerFor('logs', action, { faults, throttles: this.#throttles, actions, context: this.#context, input });
  }
}
