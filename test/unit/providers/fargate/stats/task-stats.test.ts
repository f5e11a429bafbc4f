import type { FilterLogEventsCommandInput } from '@aws-sdk/client-cloudwatch-logs';
import { beforeEach, describe, expect, it } from 'vitest';
import { NotFoundError, TransientError } from '../../../../../src/core/errors.ts';
import type { Workload } from '../../../../../src/model/workload.ts';
import type { InsightsApi } from '../../../../../src/providers/fargate/aws/insights-api.ts';
import { TaskStats } from '../../../../../src/providers/fargate/stats/task-stats.ts';
import { awsError } from '../../../../fakes/aws/aws-error.ts';
import { FakeClock } from '../../../../fakes/clock.ts';
import { FakeResourceStore } from '../../../../fakes/stores/fake-resource-store.ts';
import { RecordingLogger } from '../../../../support/recording-logger.ts';

const MINUTE = 60_000;
const CLUSTER = 'arn:aws:ecs:eu-central-1:123456789012:cluster/svk-dev';
const signal = new AbortController().signal;

/** The log group of a cluster's figures, two events a page. */
class FakeInsights implements InsightsApi {
  readonly events: { readonly timestamp: number; readonly message: string }[] = [];
  readonly calls: FilterLogEventsCommandInput[] = [];
  failure: Error | undefined;

  measured(at: number, cpuUnits: number, memoryMiB = 10, container = 'app'): void {
    const message = {
      Type: 'Container',
      TaskId: 'aaaa',
      ContainerName: container,
      Timestamp: at,
      CpuUtilized: cpuUnits,
      MemoryUtilized: memoryMiB,
    };
    this.events.push({ timestamp: at, message: JSON.stringify(message) });
  }

  async filterLogEvents(input: FilterLogEventsCommandInput): ReturnType<InsightsApi['filterLogEvents']> {
    this.calls.push(input);
    if (this.failure) throw this.failure;
    const found = this.events.filter(({ timestamp }) => timestamp >= (input.startTime ?? 0));
    const from = Number(input.nextToken ?? 0);
    return { events: found.slice(from, from + 2), ...(from + 2 < found.length && { nextToken: String(from + 2) }) };
  }
}

describe('what tasks use', () => {
  let clock: FakeClock;
  let insights: FakeInsights;
  let resources: FakeResourceStore;
  let workload: Workload;
  let start: number;

  beforeEach(() => {
    clock = new FakeClock();
    start = clock.now();
    insights = new FakeInsights();
    resources = new FakeResourceStore();
    workload = {
      id: 'arn:aws:ecs:eu-central-1:123456789012:task/svk-dev/aaaa',
      podUid: 'uid-1',
      attempt: 1,
      try: 1,
      version: 4,
      phase: 'running',
      stopping: false,
      ips: [],
      startedAt: start,
      containers: [
        { name: 'app', state: 'running' },
        { name: 'init', state: 'terminated' },
      ],
    };
  });

  const process = (): TaskStats =>
    new TaskStats({
      insights,
      resources,
      clusterArn: CLUSTER,
      clusterHash: () => 'hash',
      clock,
      logger: new RecordingLogger(),
      running: async function* () {
        yield workload;
      },
    });

  /** Half a core for so many minutes more, as time goes by. */
  const run = async (minutes: number): Promise<void> => {
    for (let minute = 0; minute < minutes; minute += 1) {
      await clock.advance(MINUTE);
      insights.measured(clock.now(), 512);
    }
  };

  const cpuSeconds = async (stats: TaskStats): Promise<number> =>
    ((await stats.get(signal))[0]?.containers[0]?.cpu?.usageCoreNanoSeconds ?? 0) / 1e9;

  it('are the newest figures of running containers, with the time of the measurement', async () => {
    await run(2);
    insights.measured(clock.now(), 100, 7, 'init');
    insights.measured(clock.now(), 100, 7, 'stranger');
    await clock.advance(20_000);
    expect(await process().get(signal)).toEqual([
      {
        workloadId: workload.id,
        podUid: 'uid-1',
        startedAt: start,
        containers: [
          {
            name: 'app',
            startedAt: start,
            at: start + 2 * MINUTE,
            cpu: { usageCoreNanoSeconds: 60e9, usageNanoCores: 0.5e9 },
            memory: { workingSetBytes: 10_485_760 },
          },
        ],
      },
    ]);
    expect(insights.calls[0]).toMatchObject({
      logGroupName: '/aws/ecs/containerinsights/svk-dev/performance',
      filterPattern: '{ $.Type = "Container" }',
    });
  });

  it('leave out what has not been measured, and what was long ago', async () => {
    expect(await process().get(signal)).toEqual([
      { workloadId: workload.id, podUid: 'uid-1', startedAt: start, containers: [] },
    ]);
    await run(1);
    await clock.advance(6 * MINUTE);
    expect((await process().get(signal))[0]?.containers).toEqual([]);
  });

  it('are read once a minute, whoever asks', async () => {
    await run(3);
    const stats = process();
    await Promise.all([stats.get(signal), stats.get(signal)]);
    await clock.advance(59_000);
    await stats.get(signal);
    expect(insights.calls).toHaveLength(2); // pages
    await clock.advance(1000);
    await stats.get(signal);
    expect(insights.calls).toHaveLength(4);
  });

  it('count CPU time alike in every process, over days', async () => {
    const first = process();
    for (let half = 1; half <= 96; half += 1) {
      await run(30);
      expect(await cpuSeconds(first)).toBe(half * 900);
    }
    expect(await cpuSeconds(process())).toBe(48 * 1800);
    const reads = insights.calls.length;
    await run(1);
    expect(await cpuSeconds(process())).toBe(48 * 1800 + 30);
    // Only what the checkpoint does not hold is read again.
    expect(insights.calls.length - reads).toBeLessThan(10);
  });

  it('never fall where nobody asked for hours', async () => {
    await run(30);
    const before = await cpuSeconds(process());
    await run(300);
    expect(await cpuSeconds(process())).toBeGreaterThan(before);
  });

  it('are right though their sums cannot be kept', async () => {
    resources.ready = () => Promise.reject(new TransientError('the table does not answer'));
    await run(30);
    expect(await cpuSeconds(process())).toBe(900);
  });

  it('are not found where the cluster has no Container Insights', async () => {
    insights.failure = awsError('ResourceNotFoundException', 'The specified log group does not exist.');
    const stats = process();
    await expect(stats.get(signal)).rejects.toThrow(NotFoundError);
    insights.failure = undefined;
    await run(1);
    expect(await cpuSeconds(stats)).toBe(30);
  });
});
