import type { TaskRecord } from '../aws/ecs/tasks/task-record.ts';
import type { LogsService } from '../aws/logs/logs-service.ts';
import { logStreamOf } from './task-view.ts';

/** One line of a log as the page shows it. */
export interface LogLine {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly text: string;
}

const everyMs = 500;
/** How many lines of the past one gets to see. */
const pastLines = 500;

/**
 * Hands over the last lines of a container's log and then each new one, until the answer is called. Undefined where that
 * container has no log here.
 */
export const tailLog = (
  logs: Pick<LogsService, 'tail'>,
  task: TaskRecord | undefined,
  container: string,
  onLines: (lines: readonly LogLine[]) => void,
): (() => void) | undefined => {
  const stream = task && logStreamOf(task, container);
  if (!stream) return undefined;
  let after = 0;
  const look = (): void => {
    const events = logs.tail(stream.group, stream.stream, after).slice(-pastLines);
    after = events.reduce((last, { sequence }) => Math.max(last, sequence), after);
    if (events.length > 0) onLines(events.map(({ timestamp, message }) => ({ at: timestamp, text: message })));
  };
  look();
  const timer = setInterval(look, everyMs);
  return () => clearInterval(timer);
};
