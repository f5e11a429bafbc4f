import { identityOf } from '../../../src/providers/fargate/tasks/task-identity.ts';
import type { TaskRecord } from '../aws/ecs/tasks/task-record.ts';
import type { Span, TaskView } from './page-state.ts';

/** A task as the page shows it. Pure. */
export const toTaskView = (task: TaskRecord): TaskView => {
  const attempt = identityOf(task.startedBy, task.group)?.attempt;
  const { stopCode, stoppedReason } = task;
  return {
    id: task.id,
    ...(attempt !== undefined && { attempt }),
    lastStatus: task.lastStatus,
    ...(task.attachment.privateIp !== undefined && { ip: task.attachment.privateIp }),
    ...(stopCode !== undefined && { stopped: `${stopCode}: ${stoppedReason ?? ''}` }),
    containers: task.containers.map(({ name, lastStatus, exitCode, reason }) => ({
      name,
      status: lastStatus,
      ...(exitCode !== undefined && { exitCode }),
      ...(reason !== undefined && { reason }),
      logs: logStreamOf(task, name) !== undefined,
    })),
    spans: spansOf(task),
  };
};

/** The moments a task keeps of its life, as stretches one after the other. */
export const spansOf = (task: TaskRecord): readonly Span[] => {
  const { createdAt, pullStartedAt, pullStoppedAt, startedAt, stoppingAt, stoppedAt } = task;
  const begins: readonly (readonly [Span['what'], number | undefined])[] = [
    ['provisioning', createdAt],
    ['pulling', pullStartedAt],
    ['starting', pullStoppedAt],
    ['running', startedAt],
    ['stopping', stoppingAt],
  ];
  const known = begins.flatMap(([what, from]) => (from === undefined ? [] : [{ what, from }]));
  return known.map(({ what, from }, index) => {
    const to = known[index + 1]?.from ?? stoppedAt;
    return { what, from, ...(to !== undefined && { to }) };
  });
};

/** Where awslogs writes what the container prints; undefined where it does not. */
export const logStreamOf = (
  task: Pick<TaskRecord, 'id' | 'definition'>,
  container: string,
): { readonly group: string; readonly stream: string } | undefined => {
  const options = task.definition.containers.find(({ name }) => name === container)?.logConfiguration?.options;
  const group = options?.['awslogs-group'];
  return group === undefined
    ? undefined
    : { group, stream: `${options?.['awslogs-stream-prefix']}/${container}/${task.id}` };
};
