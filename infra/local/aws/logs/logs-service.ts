import { ActionService } from '../action-service.ts';
import type { Actions } from '../answer-for.ts';
import type { Throttles } from '../throttles.ts';
import type { LogsContext } from './context.ts';
import { filterLogEvents } from './filter-log-events.ts';
import { getLogEvents } from './get-log-events.ts';
import { createLogGroup, deleteLogGroup, describeLogGroups, putRetentionPolicy } from './groups.ts';
import type { StoredEvent } from './log-store.ts';
import { putLogEvents } from './put-log-events.ts';
import { createLogStream, deleteLogStream, describeLogStreams } from './streams.ts';

const actions: Actions<LogsContext> = {
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
export class LogsService extends ActionService<LogsContext> {
  constructor(context: LogsContext, throttles: Throttles) {
    super('logs', actions, context, throttles);
  }

  /** What a stream shows now and has ingested since `after`, a sequence number; for those on this machine who only look. */
  tail(group: string, stream: string, after: number): readonly StoredEvent[] {
    const { store } = this.context;
    const found = store.group(group)?.streams.get(stream);
    return found ? store.visible(found).filter(({ sequence }) => sequence > after) : [];
  }
}
