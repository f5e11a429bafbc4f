import type { EcsContext } from '../context.ts';
import type { TaskRecord } from './task-record.ts';
import { attachmentShape, containerShape, inSeconds, taskHealthOf, taskShape } from './task-shape.ts';

/** A task as RunTask, DescribeTasks and StopTask answer it. */
export const taskAnswer = (context: EcsContext, task: TaskRecord, withTags: boolean): Record<string, unknown> => ({
  ...taskShape(task, inSeconds),
  attachments: [attachmentShape(task.attachment, 'ElasticNetworkInterface', `${context.region}.compute.internal`)],
  containers: task.containers.map((container) => ({
    ...containerShape(task, container, inSeconds),
    healthStatus: container.health,
  })),
  healthStatus: taskHealthOf(task),
  tags: withTags ? task.tags : [],
});
