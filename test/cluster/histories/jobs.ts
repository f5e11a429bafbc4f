import { expect, it } from 'vitest';
import { corePath } from '../../../src/adapters/kubernetes/paths.ts';
import { type HistoryWorld, isReady, signal, until } from '../../support/history-world.ts';
import { createdAt, deletePod, endedAt, LIMIT_MS, labels, readyPod, successorOf } from './shapes.ts';

interface JobStatus {
  readonly succeeded?: number;
  readonly failed?: number;
  readonly completedIndexes?: string;
  readonly conditions?: readonly { readonly type: string; readonly status: string; readonly reason?: string }[];
}

const job = (
  world: HistoryWorld,
  name: string,
  script: string,
  spec: object = {},
  annotations: object = {},
): object => ({
  metadata: { name },
  spec: {
    backoffLimit: 6,
    template: { metadata: { labels, annotations }, spec: world.podSpec(script, { restartPolicy: 'Never' }) },
    ...spec,
  },
});

/** The Job's status once it has ended, and the condition that says how. */
const endOfJob = async (
  world: HistoryWorld,
  namespace: string,
  name: string,
): Promise<JobStatus & { readonly end: string }> => {
  let ended: (JobStatus & { readonly end: string }) | undefined;
  await until(`job ${name} has ended`, 120_000, async () => {
    const { status } = await world.get<{ status: JobStatus }>('batch/v1', namespace, 'jobs', name);
    const end = status.conditions?.find((one) => ['Complete', 'Failed'].includes(one.type) && one.status === 'True');
    ended = end && { ...status, end: end.type === 'Failed' ? `Failed ${end.reason}` : end.type };
    return ended;
  });
  if (!ended) throw new Error('the job has not ended');
  return ended;
};

/** Jobs and CronJobs. */
export const jobHistories = (world: () => HistoryWorld): void => {
  it('a Job gives up after its backoffLimit', { timeout: LIMIT_MS }, async () => {
    const namespace = await world().namespace('backoff');
    await world().create(
      'batch/v1',
      namespace,
      'jobs',
      job(world(), 'fails', 'run 500ms; exit 3', { backoffLimit: 2 }),
    );
    expect(await endOfJob(world(), namespace, 'fails')).toMatchObject({
      end: 'Failed BackoffLimitExceeded',
      failed: 3,
    });
    const pods = await world().pods(namespace);
    expect(pods.map(({ status }) => status?.containerStatuses?.[0]?.state?.terminated?.exitCode)).toEqual([3, 3, 3]);
    for (const pod of pods) await world().taskOf(pod);
  });

  it('an indexed Job runs every index once, from one task definition', { timeout: LIMIT_MS }, async () => {
    const namespace = await world().namespace('indexed');
    const spec = { completions: 5, parallelism: 5, completionMode: 'Indexed' };
    await world().create('batch/v1', namespace, 'jobs', job(world(), 'indexes', 'run 1s; exit 0', spec));
    expect(await endOfJob(world(), namespace, 'indexes')).toMatchObject({
      end: 'Complete',
      succeeded: 5,
      completedIndexes: '0-4',
    });
    const tasks = await Promise.all((await world().pods(namespace)).map((pod) => world().taskOf(pod)));
    expect(new Set(tasks.map(({ taskDefinitionArn }) => taskDefinitionArn)).size).toBe(1);
    const indexes = tasks.map(
      ({ overrides }) =>
        overrides?.containerOverrides?.[0]?.environment?.find(({ name }) => name === 'JOB_COMPLETION_INDEX')?.value,
    );
    expect(indexes.map(Number).toSorted((a, b) => a - b)).toEqual([0, 1, 2, 3, 4]);
  });

  const policy = {
    rules: [
      { action: 'FailJob', onExitCodes: { operator: 'In', values: [42] } },
      { action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] },
    ],
  };

  it('a podFailurePolicy fails the Job at an exit code', { timeout: LIMIT_MS }, async () => {
    const namespace = await world().namespace('exit-code');
    await world().create(
      'batch/v1',
      namespace,
      'jobs',
      job(world(), 'fatal', 'run 500ms; exit 42', { podFailurePolicy: policy }),
    );
    expect(await endOfJob(world(), namespace, 'fatal')).toMatchObject({ end: 'Failed PodFailurePolicy', failed: 1 });
  });

  it('L-17 a podFailurePolicy overlooks a Spot interruption', { timeout: LIMIT_MS }, async () => {
    const namespace = await world().namespace('spot');
    const spec = { podFailurePolicy: policy, backoffLimit: 0 };
    await world().create(
      'batch/v1',
      namespace,
      'jobs',
      job(world(), 'patient', 'run 8s; exit 0', spec, { 'svk.dev/profile': 'spot' }),
    );
    const first = await readyPod(world(), namespace);
    const { taskArn = '' } = await world().taskOf(first);
    world().svk.faults.inject({ kind: 'spot-interruption', taskArn });
    expect(await endOfJob(world(), namespace, 'patient')).toMatchObject({ end: 'Complete', succeeded: 1 });
    const interrupted = (await world().pods(namespace)).find(({ metadata }) => metadata?.uid === first.metadata?.uid);
    expect(interrupted?.status).toMatchObject({ phase: 'Failed' });
    expect(interrupted?.status?.conditions).toContainEqual(
      expect.objectContaining({ type: 'DisruptionTarget', status: 'True', reason: 'TerminationByKubelet' }),
    );
  });

  it('L-05 podReplacementPolicy Failed: nothing replaces a pod before its containers have ended', {
    timeout: LIMIT_MS,
  }, async () => {
    const namespace = await world().namespace('replacement');
    const spec = { podReplacementPolicy: 'Failed' };
    await world().create(
      'batch/v1',
      namespace,
      'jobs',
      job(world(), 'exclusive', 'on-term 4s exit 1; run 12s; exit 0', spec),
    );
    const first = await readyPod(world(), namespace);
    await deletePod(world(), first);
    const second = await successorOf(world(), first);
    await until('it is launched', 60_000, async () => (await world().tasksOf(second)).length > 0);
    expect(await createdAt(world(), second)).toBeGreaterThanOrEqual(await endedAt(world(), first));
    expect(await endOfJob(world(), namespace, 'exclusive')).toMatchObject({ end: 'Complete', succeeded: 1 });
  });

  it('a CronJob that forbids concurrency leaves out what comes too early', { timeout: LIMIT_MS }, async () => {
    const namespace = await world().namespace('cron');
    const jobTemplate = { spec: { template: { spec: world().podSpec('run 5m; exit 0', { restartPolicy: 'Never' }) } } };
    const spec = { schedule: '* * * * *', concurrencyPolicy: 'Forbid', jobTemplate };
    await world().create('batch/v1', namespace, 'cronjobs', { metadata: { name: 'every-minute' }, spec });
    await until('the first minute has its pod', 90_000, async () => (await world().pods(namespace)).some(isReady));
    await until('the second minute was left out', 90_000, async () => {
      const { items } = await world().client.list<{ reason?: string }>(corePath(namespace, 'events'), { signal });
      return items.some(({ reason }) => reason === 'JobAlreadyActive');
    });
    const pods = await world().pods(namespace);
    expect(pods).toHaveLength(1);
    for (const pod of pods) expect(await world().taskOf(pod)).toMatchObject({ lastStatus: 'RUNNING' });
  });
};
