import type { ContainerRecord, TaskRecord } from '../tasks/task-record.ts';

/** What a container used in a period: averages, as Container Insights reports them. */
export interface PeriodUsage {
  /** 1024 are one vCPU. */
  readonly cpuUnits: number;
  readonly memoryMiB: number;
}

/**
 * A performance event of type Container (CloudWatch guide, "Container Insights performance log events for Amazon ECS"):
 * those of its members that tasks on Fargate have and that are known here.
 */
export const containerEvent = (
  task: TaskRecord,
  container: ContainerRecord,
  usage: PeriodUsage,
  at: number,
): Readonly<Record<string, unknown>> => ({
  ...commonOf(task, at),
  Type: 'Container',
  ContainerName: container.name,
  ...(container.image !== undefined && { Image: container.image }),
  ContainerKnownStatus: container.lastStatus,
  CpuReserved: Number(container.cpu) || 0,
  MemoryReserved: Number(container.memoryReservation ?? container.memory ?? 0),
  ...utilized(usage),
});

/** A performance event of type Task: what its containers used together. */
export const taskEvent = (
  task: TaskRecord,
  usages: readonly PeriodUsage[],
  at: number,
): Readonly<Record<string, unknown>> => ({
  ...commonOf(task, at),
  Type: 'Task',
  LaunchType: 'FARGATE',
  KnownStatus: task.lastStatus,
  CpuReserved: Number(task.cpu),
  MemoryReserved: Number(task.memory),
  ...utilized({
    cpuUnits: usages.reduce((sum, { cpuUnits }) => sum + cpuUnits, 0),
    memoryMiB: usages.reduce((sum, { memoryMiB }) => sum + memoryMiB, 0),
  }),
});

const commonOf = (task: TaskRecord, at: number): Readonly<Record<string, unknown>> => ({
  Version: '0',
  ClusterName: task.clusterName,
  TaskId: task.id,
  TaskDefinitionFamily: task.definition.family,
  TaskDefinitionRevision: String(task.definition.revision),
  Timestamp: at,
});

/** Memory is in whole MiB. */
const utilized = ({ cpuUnits, memoryMiB }: PeriodUsage): Readonly<Record<string, number>> => ({
  CpuUtilized: cpuUnits,
  MemoryUtilized: Math.ceil(memoryMiB),
});
