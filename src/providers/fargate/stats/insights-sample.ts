import * as z from 'zod/mini';

/** What one container used on average in the time before `at`, as Container Insights has measured it. */
export interface InsightsSample {
  readonly taskId: string;
  readonly container: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** 1024 are one vCPU. */
  readonly cpuUnits: number;
  readonly memoryMiB: number;
}

const figure = z.number().check(z.gte(0));

/** Of a performance event of type Container, what is needed here (CloudWatch guide, "Container Insights performance log events for Amazon ECS"). */
const containerEvent = z.object({
  Type: z.literal('Container'),
  TaskId: z.string(),
  ContainerName: z.string(),
  Timestamp: z.number(),
  CpuUtilized: figure,
  MemoryUtilized: figure,
});

/** Reads one event of the log group `performance`; undefined for events of other types and without these figures. */
export const toInsightsSample = (message: string): InsightsSample | undefined => {
  const parsed = containerEvent.safeParse(jsonOf(message));
  if (!parsed.success) return undefined;
  const { TaskId, ContainerName, Timestamp, CpuUtilized, MemoryUtilized } = parsed.data;
  return {
    taskId: TaskId,
    container: ContainerName,
    at: Timestamp,
    cpuUnits: CpuUtilized,
    memoryMiB: MemoryUtilized,
  };
};

const jsonOf = (text: string): unknown => {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
};
