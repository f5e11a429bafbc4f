import type { Workload } from '../../../model/workload.ts';
import type { TaskReader } from '../tasks/task-reader.ts';

/**
 * Whether a container can still write: `waiting` (not started), `running`, or `ended` at `at` (milliseconds since the
 * epoch; undefined where ECS has forgotten the task, an hour after its end). `unknown`: ECS does not know the task.
 */
export type ContainerProgress =
  | { readonly kind: 'waiting' | 'running' | 'unknown' }
  | { readonly kind: 'ended'; readonly at: number };

/** Asks ECS how far the container is. */
export const progressOf = async (
  tasks: TaskReader,
  taskArn: string,
  container: string,
  now: number,
  signal: AbortSignal,
): Promise<ContainerProgress> => {
  const { workloads } = await tasks.describe([taskArn], signal);
  const [workload] = workloads;
  return workload ? containerProgress(workload, container, now) : { kind: 'unknown' };
};

const containerProgress = (workload: Workload, name: string, now: number): ContainerProgress => {
  const container = workload.containers.find((one) => one.name === name);
  const ended = workload.phase === 'stopped' || container?.state === 'terminated';
  if (ended && workload.startedAt === undefined && container?.exitCode === undefined) return { kind: 'waiting' };
  if (ended) return { kind: 'ended', at: workload.endedAt ?? workload.stoppedAt ?? now };
  return { kind: container?.state === 'running' ? 'running' : 'waiting' };
};
