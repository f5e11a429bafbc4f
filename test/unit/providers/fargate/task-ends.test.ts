import { describe, expect, it } from 'vitest';
import { stopped, workloadOf } from './observed-tasks.ts';

describe('why a task could not start', () => {
  it.each([
    ['CannotPullContainerError: pull access denied for x', 'ErrImagePull'],
    ['CannotPullContainerError: toomanyrequests: rate limit', 'ErrImagePull'],
    ['CannotPullImageManifestError: no space left on device', 'ErrImagePull'],
    ['CannotPullContainerError: invalid reference format', 'InvalidImageName'],
    [
      'ResourceInitializationError: unable to pull secrets or registry auth: execution resource retrieval failed',
      'ErrImagePull',
    ],
    [
      'ResourceInitializationError: unable to pull secrets or registry auth: execution resource retrieval failed: unable to retrieve secrets from ssm: service call has been retried 1 time(s): invalid ssm parameters: /svk/dev/x',
      'CreateContainerConfigError',
    ],
    [
      'ResourceInitializationError: unable to pull secrets or registry auth: execution resource retrieval failed: unable to retrieve secret from asm: service call has been retried 1 time(s)',
      'CreateContainerConfigError',
    ],
    [
      'ResourceInitializationError: unable to pull secrets or registry auth: execution resource retrieval failed: unable to retrieve registry auth from asm: service call has been retried 1 time(s)',
      'ErrImagePull',
    ],
    [
      'ResourceInitializationError: unable to pull secrets: unable to get secret value from ssm',
      'CreateContainerConfigError',
    ],
    ['ResourceInitializationError: invalid ssm parameters: /svk/dev/x', 'CreateContainerConfigError'],
    [
      'ResourceInitializationError: failed to validate logger args: create stream has been retried',
      'CreateContainerError',
    ],
    ['ResourceInitializationError: failed to invoke EFS utils commands', 'FailedMount'],
    ['CannotCreateVolumeError: x', 'FailedMount'],
    ['CannotCreateContainerError: x', 'CreateContainerError'],
    ['Capacity is unavailable at this time. Please try again later', 'OutOfCapacity'],
    ['Unexpected EC2 error while attempting to Create Network Interface', 'FailedCreatePodSandBox'],
    ['InternalError: something', 'FailedCreatePodSandBox'],
  ])('%s', (stoppedReason, reason) => {
    expect(stopped({ stopCode: 'TaskFailedToStart', stoppedReason })).toMatchObject({
      end: { kind: 'failed-to-start', reason, message: stoppedReason },
      containers: [{ name: 'web', state: 'waiting', reason, message: stoppedReason }],
    });
  });

  it('reads the reason of the container where the task has none', () => {
    const reason = 'CannotPullContainerError: not found';
    expect(stopped({ stopCode: 'TaskFailedToStart' }, { reason }).end).toEqual({
      kind: 'failed-to-start',
      reason: 'ErrImagePull',
      message: reason,
    });
  });

  it.each([
    'CannotStartContainerError: exec format error',
    'ContainerRuntimeError: x',
    'ContainerRuntimeTimeoutError: y',
  ])('counts %s as an end of the container', (reason) => {
    expect(stopped({ stopCode: 'TaskFailedToStart', stoppedReason: 'Task failed to start' }, { reason })).toMatchObject(
      {
        end: { kind: 'exited', message: 'Task failed to start' },
        containers: [{ state: 'terminated', exitCode: 128, reason: 'StartError', message: reason }],
      },
    );
  });
});

describe('why a task ended', () => {
  it.each([
    ['SpotInterruption', 'Your Spot Task was interrupted.', 'disrupted', 'Preempted'],
    ['TerminationNotice', 'notice', 'disrupted', 'Terminated'],
    [
      'InfrastructureHealth',
      'ECS is performing maintenance on the underlying infrastructure',
      'disrupted',
      'Terminated',
    ],
    [
      'UserInitiated',
      'ECS is performing maintenance on the underlying infrastructure hosting the task.',
      'disrupted',
      'Terminated',
    ],
    ['UserInitiated', 'Task stopped by user', 'requested', 'Requested'],
    ['ServiceSchedulerInitiated', 'x', 'requested', 'Requested'],
    ['EssentialContainerExited', 'Essential container in task exited', 'exited', 'Exited'],
  ])('%s: %s', (stopCode, stoppedReason, kind, reason) => {
    expect(stopped({ stopCode, stoppedReason, startedAt: new Date(0) }, { exitCode: 1 }).end).toEqual({
      kind,
      reason,
      message: stoppedReason,
    });
  });

  it.each([
    [{ stoppedReason: 'told by the task' }, { reason: 'told by the container' }, 'told by the task'],
    [{}, { reason: 'told by the container' }, 'told by the container'],
    [{ stopCode: 'EssentialContainerExited' }, {}, 'EssentialContainerExited'],
    [{}, {}, 'task stopped without a reason'],
  ])('loses no words: %j %j', (task, container, message) => {
    expect(stopped(task, container).end?.message).toBe(message);
  });

  it('is not told while nobody has said why', () => {
    expect(workloadOf({ lastStatus: 'RUNNING', desiredStatus: 'STOPPED' })).not.toHaveProperty('end');
  });
});

describe('exit codes', () => {
  it.each([
    [{ exitCode: 0 }, { exitCode: 0 }],
    [{ exitCode: 7 }, { exitCode: 7 }],
    [
      { exitCode: 137, reason: 'OutOfMemoryError: Container killed due to memory usage' },
      { exitCode: 137, reason: 'OOMKilled' },
    ],
    [
      { exitCode: 0, reason: 'OutOfMemoryError: Container killed due to memory usage' },
      { exitCode: 137, reason: 'OOMKilled' },
    ],
    [{ reason: 'OutOfMemoryError: x' }, { exitCode: 137, reason: 'OOMKilled' }],
    [{ exitCode: 143 }, { exitCode: 143 }],
  ])('%j is %j', (container, expected) => {
    const task = {
      stopCode: 'EssentialContainerExited',
      stoppedReason: 'Essential container in task exited',
      startedAt: new Date(0),
    };
    const [one] = stopped(task, container).containers;
    expect(one).toMatchObject({ state: 'terminated', ...expected });
    expect(one?.reason).toBe('reason' in expected ? expected.reason : undefined);
  });

  it('says nothing where ECS says nothing: absence is no success', () => {
    const { containers } = stopped({ stopCode: 'InfrastructureHealth', startedAt: new Date(0) });
    expect(containers[0]?.state).toBe('terminated');
    expect(containers[0]).not.toHaveProperty('exitCode');
  });

  it('takes 137 after a stop for a kill, not for want of memory', () => {
    const [one] = stopped({ stopCode: 'UserInitiated', stoppedReason: 'pod deleted' }, { exitCode: 137 }).containers;
    expect(one).toMatchObject({ exitCode: 137 });
    expect(one).not.toHaveProperty('reason');
  });
});

describe('D-02 a task that reaches nothing', () => {
  it.each([
    [
      'ResourceInitializationError: unable to pull secrets or registry auth: execution resource retrieval failed: unable to retrieve ecr registry auth: service call has been retried 3 time(s): RequestError: send request failed caused by: Post "https://api.ecr.eu-west-1.amazonaws.com/": dial tcp 10.0.0.9:443: i/o timeout',
      true,
    ],
    [
      'CannotPullContainerError: pull image manifest has been retried 5 time(s): failed to do request: Head "https://registry-1.docker.io/v2/library/nginx/manifests/latest": dial tcp 54.1.2.3:443: i/o timeout',
      true,
    ],
    ['CannotPullContainerError: pull access denied, repository does not exist', false],
    ['ResourceInitializationError: unable to retrieve secrets from ssm: AccessDeniedException', false],
  ])('%s: tells where to look: %s', (reason, tells) => {
    const message = tells ? `${reason} (has the subnet a way out? svk doctor --only subnets tells)` : reason;
    expect(stopped({ stopCode: 'TaskFailedToStart', stoppedReason: reason })).toMatchObject({
      end: { kind: 'failed-to-start', message },
      containers: [{ state: 'waiting', message }],
    });
  });
});
