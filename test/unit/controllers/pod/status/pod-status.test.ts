import { describe, expect, it } from 'vitest';
import { podStatus } from '../../../../../src/controllers/pod/status/pod-status.ts';
import { readPod } from '../../../../support/a-view.ts';
import { aContainer, anAttempt, aStopped, aWorkload, minutes, NOW } from '../../../../support/a-workload.ts';
import { mainOf, statusOf } from './status-of.ts';

it('shows the image that runs, not the one the spec was changed to', () => {
  const attempts = [anAttempt(aWorkload(), { images: { main: 'nginx:1.26' } })];
  const [main] = podStatus(readPod(), { attempts, restarts: {} }, NOW).containerStatuses;
  expect(main?.image).toBe('nginx:1.26');
});

describe('phase', () => {
  it.each([
    { of: 'a pod nothing was launched for', workload: undefined, phase: 'Pending' },
    {
      of: 'S-15 a task that starts',
      workload: aWorkload({ phase: 'starting', containers: [aContainer({ state: 'waiting' })] }),
      phase: 'Pending',
    },
    {
      of: 'S-15 a task that runs, its container not yet',
      workload: aWorkload({ containers: [aContainer({ state: 'waiting' })] }),
      phase: 'Pending',
    },
    { of: 'a task that runs', workload: aWorkload(), phase: 'Running' },
    {
      of: 'a task that is being stopped',
      workload: aWorkload({ phase: 'stopping', stopping: true }),
      phase: 'Running',
    },
  ])('of $of is $phase', ({ workload, phase }) => {
    expect(statusOf(workload).phase).toBe(phase);
  });

  it.each([
    { restartPolicy: 'Never', exitCode: 0, phase: 'Succeeded' },
    { restartPolicy: 'Never', exitCode: 7, phase: 'Failed' },
    { restartPolicy: 'Never', exitCode: undefined, phase: 'Failed' },
    { restartPolicy: 'OnFailure', exitCode: 0, phase: 'Succeeded' },
    { restartPolicy: 'OnFailure', exitCode: 7, phase: 'Running' },
    { restartPolicy: 'Always', exitCode: 0, phase: 'Running' },
  ])('S-01 of a stopped task, $restartPolicy, exit code $exitCode: $phase', ({ restartPolicy, exitCode, phase }) => {
    expect(statusOf(aStopped(exitCode), { restartPolicy }).phase).toBe(phase);
  });

  it.each([
    { exitCode: 0, phase: 'Succeeded' },
    { exitCode: 143, phase: 'Failed' },
  ])(
    'of a deleted pod whose container ended with $exitCode is $phase, whatever its restart policy',
    ({ exitCode, phase }) => {
      const metadata = { deletionTimestamp: '2030-01-01T12:00:30Z' };
      expect(statusOf(aStopped(exitCode), { metadata }).phase).toBe(phase);
      expect(statusOf(aStopped(exitCode, { phase: 'stopping' }), { metadata }).phase).toBe(phase);
    },
  );

  it('is Failed for a deleted pod that never ran', () => {
    expect(statusOf(undefined, { metadata: { deletionTimestamp: '2030-01-01T12:00:30Z' } }).phase).toBe('Failed');
  });

  it('never goes back from Running', () => {
    const starting = aWorkload({ phase: 'starting', containers: [aContainer({ state: 'waiting' })] });
    expect(statusOf(starting, { status: { phase: 'Running' } }).phase).toBe('Running');
  });

  it('is not terminal while an unanswered launch may still run', () => {
    const state = { attempts: [{ attempt: 1, try: 1, launch: { request: { body: '' }, unknown: true } }] };
    const metadata = { deletionTimestamp: '2030-01-01T12:00:30Z' };
    expect(statusOf(undefined, { metadata }, state).phase).toBe('Pending');
  });

  it('of a verdict shows once nothing runs any more', () => {
    const failure = { reason: 'DeadlineExceeded', message: 'm', at: NOW };
    expect(statusOf(aWorkload(), {}, { failure })).toMatchObject({ phase: 'Running', reason: undefined });
    expect(statusOf(aStopped(0), {}, { failure })).toMatchObject({
      phase: 'Failed',
      reason: 'DeadlineExceeded',
      message: 'm',
    });
  });
});

describe('a restart', () => {
  const before = anAttempt(aStopped(7, { startedAt: NOW - minutes(3) }));
  const waiting = { attempts: [before, { attempt: 2, try: 1 }], restarts: {} };

  it('keeps the end of the run before while it waits', () => {
    const backOff = { until: NOW + 40_000, seconds: 40, at: NOW, reason: 'CrashLoopBackOff', message: 'm' };
    const main = mainOf(undefined, {}, { ...waiting, backOff });
    expect(main.state).toEqual({
      waiting: {
        reason: 'CrashLoopBackOff',
        message: 'back-off 40s restarting failed container=main pod=web_default(uid-1)',
      },
    });
    expect(main.lastState).toMatchObject({ terminated: { exitCode: 7, startedAt: '2030-01-01T11:57:00Z' } });
    expect(statusOf(undefined, {}, { ...waiting, backOff }).phase).toBe('Running');
  });

  it('has its own container in the next run', () => {
    const second = aWorkload({ attempt: 2, containers: [aContainer({ containerId: 'fargate://task-2/main' })] });
    const main = mainOf(undefined, {}, { attempts: [before, anAttempt(second)], restarts: { main: 1 } });
    expect(main).toMatchObject({
      restartCount: 1,
      containerID: 'fargate://task-2/main',
      state: { running: {} },
      lastState: { terminated: { exitCode: 7, containerID: 'fargate://task-1/main' } },
    });
  });

  it('never counts back', () => {
    const held = { name: 'main', image: 'i', imageID: '', ready: true, restartCount: 4 };
    expect(mainOf(aWorkload(), { status: { containerStatuses: [held] } }).restartCount).toBe(4);
  });
});

describe('addresses and times', () => {
  it("are the pod's own, also for its host", () => {
    expect(statusOf(aWorkload({ ips: ['10.0.0.7', 'fd00::7'] })).ips).toEqual(['10.0.0.7', 'fd00::7']);
  });

  it('stay known while the next task has none', () => {
    const state = {
      attempts: [anAttempt(aStopped(1)), anAttempt(aWorkload({ attempt: 2, phase: 'starting', ips: [] }))],
    };
    expect(statusOf(undefined, {}, state).ips).toBeUndefined();
    expect(statusOf(undefined, {}, { attempts: [anAttempt(aStopped(1)), { attempt: 2, try: 1 }] }).ips).toEqual([
      '10.0.0.7',
    ]);
  });

  it('begin with the launch, and the first one stays', () => {
    expect(statusOf(undefined).startTime).toBeUndefined();
    expect(statusOf(aWorkload()).startTime).toBe('2030-01-01T11:58:00Z');
    expect(statusOf(aWorkload(), { status: { startTime: '2030-01-01T10:00:00Z' } }).startTime).toBe(
      '2030-01-01T10:00:00Z',
    );
  });
});
