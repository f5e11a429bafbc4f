import { invalidParameter } from '../../service-error.ts';
import { lastOf } from '../arn.ts';
import type { Cluster } from '../cluster-store.ts';
import type { EcsContext } from '../context.ts';
import type { TaskRecord } from './task-record.ts';

/** True once an eventually consistent read shows the task. */
export const isVisible = (context: EcsContext, task: TaskRecord): boolean => {
  if (context.clock.now() < task.visibleFrom) return false;
  const fault = context.faults.take('missing', ({ taskArn }) => taskArn === task.arn);
  return fault === undefined;
};

/**
 * The task of this cluster by ARN or id, where a read shows it.
 * @throws {AwsError} InvalidParameterException for what cannot be a task's id.
 */
export const findVisible = (context: EcsContext, cluster: Cluster, arnOrId: string): TaskRecord | undefined => {
  const { length } = lastOf(arnOrId);
  if (length !== 32 && length !== 36) throw invalidParameter('taskId length should be one of [32,36]');
  const task = context.tasks.find(arnOrId);
  return task && task.clusterArn === cluster.arn && isVisible(context, task) ? task : undefined;
};
