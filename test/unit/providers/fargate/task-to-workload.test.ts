import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Workload } from '../../../../src/model/workload.ts';
import { parseTask } from '../../../../src/providers/fargate/tasks/ecs-task.ts';
import { workloadOfEvent } from '../../../../src/providers/fargate/tasks/task-event.ts';
import { clientTokenOf, identityOf } from '../../../../src/providers/fargate/tasks/task-identity.ts';
import { taskToWorkload } from '../../../../src/providers/fargate/tasks/task-to-workload.ts';

const ARN = 'arn:aws:ecs:eu-west-1:123456789012:task/svk-dev/0123456789abcdef0123456789abcdef';
const CLUSTER = 'arn:aws:ecs:eu-west-1:123456789012:cluster/svk-dev';

const workloadOf = (task: object): Workload => {
  const parsed = parseTask({ taskArn: ARN, startedBy: 'svk/c1/uid-1', group: 'svk:1.2', ...task });
  if (!parsed) throw new Error('not a task');
  return taskToWorkload(parsed);
};

const stopped = (task: object, container: object = {}): Workload =>
  workloadOf({
    lastStatus: 'STOPPED',
    desiredStatus: 'STOPPED',
    containers: [{ name: 'web', image: 'x', lastStatus: 'STOPPED', ...container }],
    ...task,
  });

describe('phase', () => {
  it.each([
    ['PROVISIONING', 'RUNNING', 'starting', false],
    ['PENDING', 'RUNNING', 'starting', false],
    ['ACTIVATING', 'RUNNING', 'starting', false],
    ['RUNNING', 'RUNNING', 'running', false],
    ['RUNNING', 'STOPPED', 'running', true],
    ['DEACTIVATING', 'STOPPED', 'stopping', true],
    ['STOPPING', 'STOPPED', 'stopping', true],
    ['DEPROVISIONING', 'STOPPED', 'stopping', true],
    ['STOPPED', 'STOPPED', 'stopped', true],
    ['DELETED', 'STOPPED', 'stopped', true],
    ['PENDING', 'STOPPED', 'stopping', true],
    ['SOMETHING_NEW', 'RUNNING', 'starting', false],
  ])('%s wanted %s is %s', (lastStatus, desiredStatus, phase, stopping) => {
    expect(workloadOf({ lastStatus, desiredStatus })).toMatchObject({ phase, stopping });
  });
});

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

describe('containers', () => {
  it('leaves out those of AWS and our own helpers', () => {
    const names = ['aws-fargate-supervisor', 'aws-guardduty-agent-12ab', 'svk-files', 'svk-anchor', 'aws-cli'];
    const { containers } = workloadOf({ lastStatus: 'RUNNING', containers: names.map((name) => ({ name })) });
    expect(containers.map(({ name }) => name)).toEqual(['aws-cli']);
  });

  it.each([
    ['HEALTHY', 'healthy'],
    ['UNHEALTHY', 'unhealthy'],
    ['UNKNOWN', 'unknown'],
  ])('tells health %s', (healthStatus, health) => {
    expect(workloadOf({ containers: [{ name: 'web', healthStatus }] }).containers[0]?.health).toBe(health);
  });
});

describe('identity', () => {
  it('is read from startedBy and group', () => {
    expect(workloadOf({})).toMatchObject({ podUid: 'uid-1', attempt: 1, try: 2 });
  });

  it.each([
    ['svk/c1/uid-1', 'family:web'],
    ['ecs-svc/123', 'svk:1.1'],
    [undefined, undefined],
  ])('%s with group %s is a stranger', (startedBy, group) => {
    expect(identityOf(startedBy, group)).toBeUndefined();
    expect(workloadOf({ startedBy, group }).podUid).toBeUndefined();
  });

  it('gives every launch a token of its own within 64 printable characters', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 80 }), fc.nat(), fc.nat(), (podUid, attempt, tryNumber) => {
        const token = clientTokenOf({ podUid, attempt, try: tryNumber });
        expect(token).toMatch(/^[!-~]{1,64}$/);
        expect(clientTokenOf({ podUid, attempt: attempt + 1, try: tryNumber })).not.toBe(token);
        expect(clientTokenOf({ podUid, attempt, try: tryNumber + 1 })).not.toBe(token);
      }),
    );
  });

  it('shows uid, attempt and try where they fit', () => {
    expect(clientTokenOf({ podUid: '00000000-0000-4000-8000-000000000001', attempt: 12, try: 3 })).toBe(
      '00000000-0000-4000-8000-000000000001.12.3',
    );
  });
});

describe('events', () => {
  const detail = { taskArn: ARN, clusterArn: CLUSTER, startedBy: 'svk/c1/uid-1', group: 'svk:1.1', version: 3 };
  const event = { source: 'aws.ecs', 'detail-type': 'ECS Task State Change', detail };

  it('are read without knowing more than the cluster', () => {
    expect(workloadOfEvent(event, CLUSTER)).toMatchObject({ id: ARN, podUid: 'uid-1', version: 3 });
  });

  it.each([
    ['nothing', undefined],
    ['a text', 'event'],
    ['another source', { ...event, source: 'aws.health' }],
    ['another type', { ...event, 'detail-type': 'ECS Service Action' }],
    ['another cluster', { ...event, detail: { ...detail, clusterArn: `${CLUSTER}-2` } }],
    ['a stranger', { ...event, detail: { ...detail, startedBy: 'ecs-svc/1' } }],
    ['no task', { ...event, detail: { clusterArn: CLUSTER } }],
  ])('leave out %s', (_what, other) => {
    expect(workloadOfEvent(other, CLUSTER)).toBeUndefined();
  });
});

it('has an answer for any task', () => {
  const text = fc.option(fc.string(), { nil: undefined });
  fc.assert(
    fc.property(
      fc.record({
        lastStatus: text,
        desiredStatus: text,
        stopCode: text,
        stoppedReason: text,
        startedBy: text,
        group: text,
      }),
      fc.array(
        fc.record({
          name: fc.string(),
          lastStatus: text,
          reason: text,
          exitCode: fc.option(fc.integer(), { nil: undefined }),
        }),
      ),
      (task, containers) => {
        const workload = workloadOf({ ...task, containers });
        expect(['starting', 'running', 'stopping', 'stopped']).toContain(workload.phase);
        const killed = workload.containers.filter(({ reason }) => reason === 'OOMKilled');
        expect(killed.every(({ exitCode }) => exitCode !== 0)).toBe(true);
      },
    ),
  );
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
