import type { EcsContext } from '../context.ts';
import type { TaskDefinition } from '../definitions/definition.ts';
import type { TaskRecord } from '../tasks/task-record.ts';
import { LineSplitter } from './line-splitter.ts';

/** Where a container's output goes. */
export interface LogDriver {
  write(chunk: Uint8Array): void;
  end(): void;
}

/** The awslogs driver: stream `prefix/container/task id`, made when the container starts. Without one, output is dropped. */
export const logDriverOf = (
  context: EcsContext,
  task: TaskRecord,
  container: TaskDefinition['containers'][number],
): LogDriver => {
  const options = container.logConfiguration?.options;
  if (!options) return { write: () => {}, end: () => {} };
  const group = options['awslogs-group'] ?? '';
  const stream = `${options['awslogs-stream-prefix']}/${container.name}/${task.id}`;
  context.logs.ensureStream(group, stream);
  const lines = new LineSplitter((message) => {
    const now = context.clock.now();
    context.logs.append(group, stream, [{ timestamp: now, message }], now + context.delays.logIngestion);
  });
  return { write: (chunk) => lines.push(chunk), end: () => lines.end() };
};
