import { describe, expect, it } from 'vitest';
import { toInsightsSample } from '../../../../../src/providers/fargate/stats/insights-sample.ts';

/** From the CloudWatch guide, shortened. */
const documented = {
  Version: '0',
  Type: 'Container',
  ContainerName: 'mysql',
  TaskId: '7c7bce41-8f2f-4673-b1a3-0e57ef51168f',
  TaskDefinitionFamily: 'hippo-flask',
  TaskDefinitionRevision: '8',
  ClusterName: 'metric-test',
  Image: 'mysql',
  ContainerKnownStatus: 'RUNNING',
  Timestamp: 1_561_586_749_104,
  CpuUtilized: 1.8381139895790504,
  CpuReserved: 30,
  MemoryUtilized: 295,
  MemoryReserved: 400,
  NetworkRxBytes: 6_522_672,
};

describe('an event of Container Insights', () => {
  it('is a sample of one container', () => {
    expect(toInsightsSample(JSON.stringify(documented))).toEqual({
      taskId: '7c7bce41-8f2f-4673-b1a3-0e57ef51168f',
      container: 'mysql',
      at: 1_561_586_749_104,
      cpuUnits: 1.8381139895790504,
      memoryMiB: 295,
    });
  });

  it.each([
    { want: 'of a task', message: JSON.stringify({ ...documented, Type: 'Task' }) },
    { want: 'without a figure', message: JSON.stringify({ ...documented, CpuUtilized: undefined }) },
    { want: 'with a figure that is none', message: JSON.stringify({ ...documented, MemoryUtilized: '295' }) },
    { want: 'below zero', message: JSON.stringify({ ...documented, CpuUtilized: -1 }) },
    { want: 'that is no JSON', message: 'START RequestId' },
    { want: 'that is no object', message: 'null' },
  ])('is none $want', ({ message }) => {
    expect(toInsightsSample(message)).toBeUndefined();
  });
});
