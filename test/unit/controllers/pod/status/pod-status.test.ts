import { describe, expect, it } from 'vitest';
import { podStatus } from '../../../../../src/controllers/pod/status/pod-status.ts';
import type { ContainerStatus } from '../../../../../src/model/kubernetes.ts';
import type { PodState } from '../../../../../src/model/pod-row.ts';
import type { Workload, WorkloadContainer } from '../../../../../src/model/workload.ts';
import type { PodWish } from '../../../../support/a-pod.ts';
import { readPod } from '../../../../support/a-view.ts';
import { aContainer, anAttempt, aStopped, aWorkload, minutes, NOW } from '../../../../support/a-workload.ts';

const statusOf = (workload: Workload | undefined, pod: PodWish = {}, state: Partial<PodState> = {}) =>
  podStatus(readPod(pod), { attempts: workload ? [anAttempt(workload)] : [], restarts: {}, ...state }, NOW);

const mainOf = (...args: Parameters<typeof statusOf>): ContainerStatus => {
  const [main] = statusOf(...args).containerStatuses;
  if (!main) throw new Error('no container status');
  return main;
};

const conditionsOf = (...args: Parameters<typeof statusOf>): Record<string, string> =>
  Object.fromEntries(
    statusOf(...args).conditions.map(({ type, status, reason }) => [type, reason ? `${status} ${reason}` : status]),
  );

const ended = (container: Partial<WorkloadContainer>, wish: Partial<Workload> = {}): Workload =>
  aStopped(undefined, { containers: [aContainer({ state: 'terminated', ...container })], ...wish });

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

describe('container state', () => {
  it.each([
    { of: 'exit code 0', workload: ended({ exitCode: 0 }), terminated: { exitCode: 0, reason: 'Completed' } },
    { of: 'S-01 a crash', workload: ended({ exitCode: 7 }), terminated: { exitCode: 7, reason: 'Error' } },
    {
      of: 'S-07 running out of memory',
      workload: ended({ exitCode: 137, reason: 'OOMKilled' }),
      terminated: { exitCode: 137, reason: 'OOMKilled' },
    },
    { of: 'S-07 our own stop', workload: ended({ exitCode: 137 }), terminated: { exitCode: 137, reason: 'Error' } },
    { of: 'S-07 SIGTERM', workload: ended({ exitCode: 143 }), terminated: { exitCode: 143, reason: 'Error' } },
    {
      of: 'an end without an exit code',
      workload: ended({}),
      terminated: { exitCode: 137, reason: 'ContainerStatusUnknown' },
    },
    {
      of: 'a program that cannot be started',
      workload: ended({}, {
        startedAt: undefined,
        end: { kind: 'failed-to-start', reason: 'RunContainerError', message: 'exec format error' },
      } as never),
      terminated: { exitCode: 128, reason: 'StartError', message: 'exec format error' },
    },
  ])('of $of', ({ workload, terminated }) => {
    expect(mainOf(workload, { restartPolicy: 'Never' }).state).toMatchObject({ terminated });
  });

  it.each([
    {
      from: 'the container',
      workload: ended({ exitCode: 1, message: 'Container killed' }),
      message: 'Container killed',
    },
    {
      from: 'the task',
      workload: ended(
        { exitCode: 1 },
        { end: { kind: 'requested', reason: 'UserInitiated', message: 'Task stopped by a user' } },
      ),
      message: 'Task stopped by a user',
    },
    {
      from: 'the stop code',
      workload: ended({ exitCode: 1 }, { end: { kind: 'exited', reason: 'EssentialContainerExited', message: '' } }),
      message: 'EssentialContainerExited',
    },
    {
      from: 'nobody',
      workload: ended({ exitCode: 1 }, { end: { kind: 'exited', reason: '', message: '' } }),
      message: 'task stopped without a reason',
    },
  ])('S-13 has its message from $from', ({ workload, message }) => {
    expect(mainOf(workload, { restartPolicy: 'Never' }).state?.terminated?.message).toBe(message);
  });

  it('S-13 has no message after a success: the end of an essential container is no error', () => {
    expect(mainOf(ended({ exitCode: 0 }), { restartPolicy: 'Never' }).state?.terminated).not.toHaveProperty('message');
  });

  it('has the times of the task', () => {
    expect(mainOf(aWorkload()).state).toEqual({ running: { startedAt: '2030-01-01T11:59:00Z' } });
    expect(mainOf(aStopped(0), { restartPolicy: 'Never' }).state?.terminated).toMatchObject({
      startedAt: '2030-01-01T11:59:00Z',
      finishedAt: '2030-01-01T12:00:00Z',
      containerID: 'fargate://task-1/main',
    });
  });

  it('waits on while an exit code may still come', () => {
    const leaving = aWorkload({ phase: 'stopping', stopping: true, containers: [aContainer({ state: 'terminated' })] });
    const running = {
      name: 'main',
      image: 'i',
      imageID: '',
      ready: true,
      restartCount: 0,
      state: { running: { startedAt: '2030-01-01T11:59:00Z' } },
    };
    expect(mainOf(leaving, { status: { containerStatuses: [running] } }).state).toEqual(running.state);
  });

  it('names the digest that runs', () => {
    const digest = 'sha256:aa';
    expect(mainOf(aWorkload({ containers: [aContainer({ imageDigest: digest })] })).imageID).toBe('nginx@sha256:aa');
    const containers = [{ image: 'registry:5000/team/app:1.2@sha256:bb' }];
    expect(mainOf(aWorkload({ containers: [aContainer({ imageDigest: digest })] }), { containers }).imageID).toBe(
      'registry:5000/team/app@sha256:aa',
    );
  });
});

describe('ready', () => {
  it.each([
    { when: 'it runs and has no check', container: {}, ready: true },
    { when: 'it has no check and nobody knows its health', container: { health: 'unknown' }, ready: true },
    { when: 'its check fails', container: { health: 'unhealthy' }, ready: false },
    { when: 'its check passes', container: { health: 'healthy' }, ready: true },
  ] as const)('is $ready when $when', ({ container, ready }) => {
    expect(mainOf(aWorkload({ containers: [aContainer(container)] })).ready).toBe(ready);
    expect(conditionsOf(aWorkload({ containers: [aContainer(container)] }))['Ready']).toBe(
      ready ? 'True' : 'False ContainersNotReady',
    );
  });

  it.each(['readinessProbe', 'startupProbe'] as const)(
    'S-15 is False while its %s has not said anything yet',
    (probe) => {
      const containers = [{ [probe]: { exec: { command: ['true'] } } }];
      expect(mainOf(aWorkload({ containers: [aContainer({ health: 'unknown' })] }), { containers }).ready).toBe(false);
    },
  );

  it.each([
    { when: 'a liveness probe has not passed yet', health: 'unknown', probes: ['livenessProbe'] },
    { when: 'a liveness probe fails', health: 'unhealthy', probes: ['livenessProbe'] },
    { when: 'a provider says nothing of health', health: undefined, probes: ['readinessProbe', 'startupProbe'] },
  ] as const)('is True where $when', ({ health, probes }) => {
    const containers = [Object.fromEntries(probes.map((probe) => [probe, { exec: { command: ['true'] } }]))];
    const main = mainOf(aWorkload({ containers: [aContainer(health && { health })] }), { containers });
    expect(main).toMatchObject({ ready: true, started: true });
  });

  it('of a container with a startup probe alone stays True once that has passed', () => {
    const containers = [{ startupProbe: { exec: { command: ['true'] } } }];
    const workload = aWorkload({ containers: [aContainer({ health: 'unhealthy' })] });
    const pod = readPod({ containers });
    const [main] = podStatus(
      pod,
      { attempts: [anAttempt(workload, { passed: ['main'] })], restarts: {} },
      NOW,
    ).containerStatuses;
    expect(main).toMatchObject({ ready: true, started: true });
  });

  it('is over as soon as somebody stops the task', () => {
    expect(conditionsOf(aWorkload({ stopping: true }))).toMatchObject({ Ready: 'False ContainersNotReady' });
  });

  const gate = { readinessGates: [{ conditionType: 'example.com/registered' }] };
  it.each([
    { status: undefined, ready: 'False ReadinessGatesNotReady' },
    { status: 'False', ready: 'False ReadinessGatesNotReady' },
    { status: 'True', ready: 'True' },
  ])('S-19 waits for a gate that is $status: $ready', ({ status, ready }) => {
    const conditions = status === undefined ? [] : [{ type: 'example.com/registered', status }];
    expect(conditionsOf(aWorkload(), { ...gate, status: { conditions } })).toMatchObject({
      ContainersReady: 'True',
      Ready: ready,
    });
  });

  it('S-19 names the gate that is missing', () => {
    const ready = statusOf(aWorkload(), gate).conditions.find(({ type }) => type === 'Ready');
    expect(ready?.message).toBe(
      'corresponding condition of pod readiness gate "example.com/registered" does not exist.',
    );
  });
});

describe('conditions', () => {
  it('S-03 of a finished pod', () => {
    expect(conditionsOf(aStopped(0), { restartPolicy: 'Never' })).toEqual({
      PodScheduled: 'True',
      PodReadyToStartContainers: 'False',
      Initialized: 'True PodCompleted',
      ContainersReady: 'False PodCompleted',
      Ready: 'False PodCompleted',
    });
    expect(conditionsOf(aStopped(1), { restartPolicy: 'Never' })).toEqual({
      PodScheduled: 'True',
      PodReadyToStartContainers: 'False',
      Initialized: 'True',
      ContainersReady: 'False PodFailed',
      Ready: 'False PodFailed',
    });
  });

  it('keep their transition time for as long as they keep their status', () => {
    const conditions = [
      { type: 'Ready', status: 'True', lastTransitionTime: '2030-01-01T11:00:00Z' },
      { type: 'ContainersReady', status: 'False', lastTransitionTime: '2030-01-01T11:00:00Z' },
    ];
    const times = Object.fromEntries(
      statusOf(aWorkload(), { status: { conditions } }).conditions.map(({ type, lastTransitionTime }) => [
        type,
        lastTransitionTime,
      ]),
    );
    expect(times).toMatchObject({ Ready: '2030-01-01T11:00:00Z', ContainersReady: '2030-01-01T12:00:00Z' });
  });

  it('name what is not ready', () => {
    const containers = [{ name: 'a' }, { name: 'b' }];
    const workload = aWorkload({
      containers: [aContainer({ name: 'a' }), aContainer({ name: 'b', state: 'waiting' })],
    });
    const found = statusOf(workload, { containers }).conditions.find(({ type }) => type === 'ContainersReady');
    expect(found).toMatchObject({ reason: 'ContainersNotReady', message: 'containers with unready status: [b]' });
  });

  it('carry the generation they were made for where the server tracks it', () => {
    const metadata = { generation: 3 };
    const scheduled = { type: 'PodScheduled', status: 'True', observedGeneration: 1 };
    const tracked = statusOf(aWorkload(), { metadata, status: { conditions: [scheduled] } });
    expect(tracked.observedGeneration).toBe(3);
    expect(tracked.conditions.every(({ observedGeneration }) => observedGeneration === 3)).toBe(true);
    expect(statusOf(aWorkload(), { metadata })).not.toHaveProperty('observedGeneration');
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

describe('a disruption', () => {
  const taken = aStopped(143, {
    end: { kind: 'disrupted', reason: 'SpotInterruption', message: 'Your Spot Task was interrupted.' },
  });

  it('marks a pod that will not run again', () => {
    expect(conditionsOf(taken, { restartPolicy: 'Never' })['DisruptionTarget']).toBe('True TerminationByKubelet');
  });

  it('leaves a bare pod that restarts always unmarked', () => {
    expect(conditionsOf(taken)).not.toHaveProperty('DisruptionTarget');
  });

  it('shows as soon as it is announced', () => {
    const announced = aWorkload({ stopping: true, ...(taken.end && { end: taken.end }) });
    expect(conditionsOf(announced, { restartPolicy: 'Never' })['DisruptionTarget']).toBe('True TerminationByKubelet');
  });
});
