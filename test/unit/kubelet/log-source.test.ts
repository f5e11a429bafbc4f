import { describe, expect, it } from 'vitest';
import { chooseLogSource, type KnownRun, runsOfRow, runsOfWorkloads } from '../../../src/kubelet/log-source.ts';
import type { Pod } from '../../../src/model/kubernetes.ts';
import type { Workload, WorkloadContainer, WorkloadEnd } from '../../../src/model/workload.ts';

const workload = (attempt: number, state: WorkloadContainer['state'] | 'absent', end?: WorkloadEnd): Workload => ({
  id: `task/${attempt}`,
  podUid: 'uid',
  attempt,
  try: 1,
  version: 1,
  phase: state === 'terminated' ? 'stopped' : 'running',
  stopping: false,
  ips: [],
  ...(end === undefined ? {} : { end }),
  containers: [{ name: 'other', state: 'running' }, ...(state === 'absent' ? [] : ([{ name: 'app', state }] as const))],
});

const run = (...args: Parameters<typeof workload>): KnownRun => {
  const known = workload(...args);
  return { workloadId: known.id, workload: known };
};

const FAILED_PULL: WorkloadEnd = {
  kind: 'failed-to-start',
  reason: 'ErrImagePull',
  message: 'CannotPullContainerError',
};

const pod = (state?: object, phase = 'Running'): Pod => ({
  metadata: { name: 'web' },
  spec: { containers: [{ name: 'app' }] },
  status: {
    phase,
    ...(state === undefined
      ? {}
      : { containerStatuses: [{ name: 'app', image: '', imageID: '', ready: false, restartCount: 0, state }] }),
  },
});

const choose = (
  runs: readonly KnownRun[],
  { of = pod(), previous = false, restarting = false }: { of?: Pod; previous?: boolean; restarting?: boolean } = {},
): string => {
  const source = chooseLogSource(of, 'app', { previous, restarting }, runs);
  return source.ok ? source.workloadId : source.message;
};

describe('which run a log belongs to', () => {
  it.each([
    { want: 'the running one', runs: [run(1, 'running')], id: 'task/1' },
    { want: 'the newest of several', runs: [run(1, 'terminated'), run(2, 'running')], id: 'task/2' },
    { want: 'one that has ended', runs: [run(1, 'terminated')], id: 'task/1' },
    {
      want: 'the one before where the newest has not started',
      runs: [run(1, 'terminated'), run(2, 'waiting')],
      id: 'task/1',
    },
    { want: 'the one before where the newest is only planned', runs: [run(1, 'terminated'), {}], id: 'task/1' },
    {
      want: 'the one before where the newest could not be started',
      runs: [run(1, 'terminated'), run(2, 'terminated', FAILED_PULL)],
      id: 'task/1',
    },
    { want: 'the last that held the container', runs: [run(1, 'terminated'), run(2, 'absent')], id: 'task/1' },
  ])('is $want', ({ runs, id }) => {
    expect(choose(runs)).toBe(id);
  });

  it.each([
    { want: 'the one before the running one', runs: [run(1, 'terminated'), run(2, 'running')], id: 'task/1' },
    {
      want: 'the one before the last, once the pod is over',
      runs: [run(1, 'terminated'), run(2, 'terminated')],
      id: 'task/1',
    },
    {
      want: 'the one that has just ended while a restart is planned',
      runs: [run(1, 'terminated'), run(2, 'terminated')],
      restarting: true,
      id: 'task/2',
    },
    {
      want: 'the one that has ended while the status says CrashLoopBackOff',
      runs: [run(1, 'terminated')],
      of: pod({ waiting: { reason: 'CrashLoopBackOff' } }),
      id: 'task/1',
    },
    {
      want: 'the last that started where the newest has not',
      runs: [run(1, 'terminated'), run(2, 'waiting')],
      id: 'task/1',
    },
  ])('with previous is $want', ({ runs, id, ...options }) => {
    expect(choose(runs, { ...options, previous: true })).toBe(id);
  });

  it.each([
    { want: 'no run before the first', runs: [run(1, 'running')] },
    { want: 'no run before the only one that ended', runs: [run(1, 'terminated')] },
    { want: 'nothing that has started', runs: [run(1, 'waiting')] },
    { want: 'nothing at all', runs: [] },
  ])('with previous finds $want', ({ runs }) => {
    expect(choose(runs, { previous: true })).toBe('previous terminated container "app" in pod "web" not found');
  });

  it.each([
    { status: undefined, runs: [], reason: 'ContainerCreating' },
    { status: undefined, runs: [{}], reason: 'ContainerCreating' },
    { status: undefined, runs: [run(1, 'waiting')], reason: 'ContainerCreating' },
    { status: { waiting: { reason: 'PodInitializing' } }, runs: [run(1, 'waiting')], reason: 'PodInitializing' },
    { status: { waiting: { reason: 'ErrImagePull' } }, runs: [], reason: "image can't be pulled" },
    { status: { waiting: { reason: 'ImagePullBackOff' } }, runs: [], reason: 'trying and failing to pull image' },
    { status: { waiting: { reason: 'CreateContainerConfigError' } }, runs: [], reason: 'CreateContainerConfigError' },
    { status: undefined, runs: [run(1, 'terminated', FAILED_PULL)], reason: "image can't be pulled" },
  ])('says that the container waits: $reason', ({ status, runs, reason }) => {
    expect(choose(runs, { of: pod(status, 'Pending') })).toBe(
      `container "app" in pod "web" is waiting to start: ${reason}`,
    );
  });

  it.each([
    { want: 'the pod is over', of: pod(undefined, 'Failed') },
    { want: 'the status has seen it run', of: pod({ running: {} }) },
    { want: 'the status has seen it end', of: pod({ terminated: { exitCode: 0 } }) },
  ])('says that the log is gone where nothing is known and $want', ({ of }) => {
    expect(choose([], { of })).toBe('container "app" in pod "web" is not available');
  });

  it.each([
    { state: { running: {} }, answer: 'task/1' },
    { state: { terminated: { exitCode: 1 } }, answer: 'task/1' },
    {
      state: { waiting: { reason: 'ContainerCreating' } },
      answer: 'container "app" in pod "web" is waiting to start: ContainerCreating',
    },
  ])('believes the status about a run nothing was observed of', ({ state, answer }) => {
    expect(choose([{ workloadId: 'task/1' }], { of: pod(state) })).toBe(answer);
  });

  it('takes the runs of a row in its order, with what was observed', () => {
    const known = workload(1, 'terminated');
    expect(
      runsOfRow({
        pod: { namespace: 'default', name: 'web', uid: 'uid' },
        node: 'vk-a',
        wanted: 1,
        seen: 1,
        observations: { 'task/1': known },
        state: {
          attempts: [
            { attempt: 1, try: 1, workloadId: 'task/1' },
            { attempt: 2, try: 1, workloadId: 'task/2' },
            { attempt: 3, try: 1 },
          ],
          restarts: {},
        },
      }),
    ).toEqual([{ workloadId: 'task/1', workload: known }, { workloadId: 'task/2' }, {}]);
  });

  it('puts the runs of a provider in order', () => {
    const [second, first] = [workload(2, 'running'), workload(1, 'terminated')];
    expect(runsOfWorkloads([second, first]).map(({ workloadId }) => workloadId)).toEqual(['task/1', 'task/2']);
  });
});
