import type { Workload } from '../../../../src/model/workload.ts';
import { parseTask } from '../../../../src/providers/fargate/tasks/ecs-task.ts';
import { taskToWorkload } from '../../../../src/providers/fargate/tasks/task-to-workload.ts';

export const ARN = 'arn:aws:ecs:eu-west-1:123456789012:task/svk-dev/0123456789abcdef0123456789abcdef';

/** What is made of a task that ECS describes so. */
export const workloadOf = (task: object): Workload => {
  const parsed = parseTask({ taskArn: ARN, startedBy: 'svk/c1/uid-1', group: 'svk:1.2', ...task });
  if (!parsed) throw new Error('not a task');
  return taskToWorkload(parsed);
};

/** The same of a task that has stopped, with one container. */
export const stopped = (task: object, container: object = {}): Workload =>
  workloadOf({
    lastStatus: 'STOPPED',
    desiredStatus: 'STOPPED',
    containers: [{ name: 'web', image: 'x', lastStatus: 'STOPPED', ...container }],
    ...task,
  });
