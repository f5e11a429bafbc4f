import { describe, expect, it } from 'vitest';
import type { LaunchResult } from '../../../../src/model/launch.ts';
import type { EcsApi } from '../../../../src/providers/fargate/aws/ecs-api.ts';
import { launchTask } from '../../../../src/providers/fargate/launch/launch-task.ts';
import { runTaskRequest } from '../../../../src/providers/fargate/launch/run-task-request.ts';
import { TaskReader } from '../../../../src/providers/fargate/tasks/task-reader.ts';
import { awsError, noAnswer } from '../../../fakes/aws/aws-error.ts';
import { scriptedEcs } from '../../../fakes/aws/scripted-ecs.ts';

const ARN = 'arn:aws:ecs:eu-west-1:123456789012:task/svk-dev/abc';
const DEFINITION = 'arn:aws:ecs:eu-west-1:123456789012:task-definition/svk-dev-0f0f:3';

const request = runTaskRequest(
  { launchType: 'FARGATE' },
  { podUid: 'uid-1', attempt: 2, try: 1 },
  { clusterArn: 'cluster-arn', clusterHash: 'c1', taskDefinition: DEFINITION },
);

const own = {
  taskArn: ARN,
  startedBy: 'svk/c1/uid-1',
  group: 'svk:2.1',
  lastStatus: 'PROVISIONING',
  version: 1,
  containers: [{ name: 'web' }],
};

const launch = async (
  answers: Partial<EcsApi>,
): Promise<{ readonly result: LaunchResult; readonly forgotten: readonly string[] }> => {
  const ecs = scriptedEcs(answers);
  const forgotten: string[] = [];
  const deps = {
    ecs,
    tasks: new TaskReader(ecs, 'cluster-arn'),
    forgetDefinition: async (arn: string) => void forgotten.push(arn),
  };
  return { result: await launchTask(deps, request, new AbortController().signal), forgotten };
};

const rejecting = (error: Error): Partial<EcsApi> => ({
  runTask: async () => {
    throw error;
  },
});

describe('the request', () => {
  it('is sent as it is stored, with all that names the task', async () => {
    let sent: unknown;
    await launch({
      runTask: async (input) => {
        sent = input;
        return { tasks: [own] };
      },
    });
    expect(sent).toEqual({
      cluster: 'cluster-arn',
      taskDefinition: DEFINITION,
      count: 1,
      clientToken: 'uid-1.2.1',
      startedBy: 'svk/c1/uid-1',
      group: 'svk:2.1',
      launchType: 'FARGATE',
    });
  });
});

describe('started', () => {
  it('is an answer with a task', async () => {
    const { result } = await launch({ runTask: async () => ({ tasks: [own], failures: [] }) });
    expect(result).toMatchObject({
      kind: 'started',
      workload: { id: ARN, podUid: 'uid-1', attempt: 2, try: 1, version: 1 },
    });
  });

  it('is a bare answer for a task stopped since, which is then described', async () => {
    const { result } = await launch({
      runTask: async () => ({ tasks: [{ taskArn: ARN, lastStatus: 'STOPPED', desiredStatus: 'STOPPED' }] }),
      describeTasks: async () => ({ tasks: [{ ...own, lastStatus: 'STOPPED', version: 7 }] }),
    });
    expect(result).toMatchObject({ kind: 'started', workload: { id: ARN, phase: 'stopped', version: 7 } });
  });

  it.each<[string, Partial<EcsApi>]>([
    ['cannot be described', { describeTasks: () => Promise.reject(noAnswer()) }],
    ['is forgotten', { describeTasks: async () => ({ tasks: [], failures: [{ arn: ARN, reason: 'MISSING' }] }) }],
  ])('is a bare answer for a task that %s', async (_what, answers) => {
    const { result } = await launch({
      runTask: async () => ({ tasks: [{ taskArn: ARN, lastStatus: 'STOPPED', desiredStatus: 'STOPPED' }] }),
      ...answers,
    });
    expect(result).toMatchObject({
      kind: 'started',
      workload: { id: ARN, podUid: 'uid-1', attempt: 2, phase: 'stopped' },
    });
  });

  const conflict = awsError('ConflictException', 'token used', { resourceIds: [ARN] });

  it('is a conflict over our own task, which is adopted', async () => {
    const { result } = await launch({ ...rejecting(conflict), describeTasks: async () => ({ tasks: [own] }) });
    expect(result).toMatchObject({ kind: 'started', workload: { id: ARN, podUid: 'uid-1' } });
  });

  it('is not a conflict over a task of another pod', async () => {
    const { result } = await launch({
      ...rejecting(conflict),
      describeTasks: async () => ({ tasks: [{ ...own, startedBy: 'svk/c1/uid-2' }] }),
    });
    expect(result).toMatchObject({ kind: 'refused', cause: 'configuration', final: false });
  });

  it.each<[string, Partial<EcsApi>]>([
    ['cannot be seen yet', { describeTasks: async () => ({ tasks: [], failures: [{ arn: ARN, reason: 'MISSING' }] }) }],
    ['cannot be described', { describeTasks: () => Promise.reject(noAnswer()) }],
  ])('is not known for a conflict over a task that %s', async (_what, answers) => {
    expect((await launch({ ...rejecting(conflict), ...answers })).result.kind).toBe('unknown');
  });
});

describe('refused by failures, which is final', () => {
  it.each([
    ['Capacity is unavailable at this time. Please try again later or in a different availability zone', 'capacity'],
    ['RESOURCE:MEMORY', 'capacity'],
    ['AGENT', 'capacity'],
    ["You've reached the limit on the number of vCPUs you can run concurrently", 'quota'],
    ["You've reached the limit on the number of tasks you can run concurrently", 'quota'],
    ['Rate exceeded', 'throttled'],
    ['MISSING', 'configuration'],
  ])('%s', async (reason, cause) => {
    const { result } = await launch({ runTask: async () => ({ tasks: [], failures: [{ arn: 'x', reason }] }) });
    expect(result).toEqual({ kind: 'refused', cause, final: true, message: reason });
  });

  it('with their details', async () => {
    const { result } = await launch({
      runTask: async () => ({ failures: [{ reason: 'A', detail: 'b' }, { reason: 'C' }] }),
    });
    expect(result).toMatchObject({ message: 'A: b; C' });
  });
});

describe('refused by an exception', () => {
  it.each<[name: string, message: string, cause: string, final: boolean]>([
    ['ClientException', 'Too many tasks', 'configuration', true],
    ['InvalidParameterException', 'The subnet ID does not exist', 'configuration', true],
    ['ClusterNotFoundException', 'Cluster not found.', 'configuration', true],
    ['PlatformUnknownException', 'x', 'configuration', true],
    ['PlatformTaskDefinitionIncompatibilityException', 'x', 'configuration', true],
    ['UnsupportedFeatureException', 'x', 'configuration', true],
    ['BlockedException', 'Your account was blocked', 'configuration', true],
    ['LimitExceededException', 'x', 'quota', true],
    ['AccessDeniedException', 'not authorized', 'configuration', false],
    ['UnrecognizedClientException', 'The security token is invalid', 'configuration', false],
    ['ExpiredTokenException', 'x', 'configuration', false],
    ['SomethingNewException', 'x', 'configuration', false],
    ['ThrottlingException', 'Rate exceeded', 'throttled', false],
    [
      'InvalidParameterException',
      'Error retrieving subnet information for [subnet-1]: Rate exceeded (ErrorCode: Throttling)',
      'throttled',
      false,
    ],
    [
      'InvalidParameterException',
      'Error retrieving security group information: RequestLimitExceeded',
      'throttled',
      false,
    ],
  ])('%s: %s', async (name, message, cause, final) => {
    const { result, forgotten } = await launch(rejecting(awsError(name, message)));
    expect(result).toEqual({ kind: 'refused', cause, final, message: `${name}: ${message}` });
    expect(forgotten).toEqual([]);
  });

  it('of credentials that cannot be had, before anything was sent', async () => {
    const error = Object.assign(new Error('no credentials'), { name: 'CredentialsProviderError' });
    expect((await launch(rejecting(error))).result).toMatchObject({
      kind: 'refused',
      cause: 'configuration',
      final: false,
    });
  });

  it.each(['TaskDefinition is inactive', 'TaskDefinition not found.', 'Unable to describe task definition.'])(
    '%s: the definition is forgotten, to be registered again',
    async (message) => {
      const { result, forgotten } = await launch(rejecting(awsError('ClientException', message)));
      expect(result).toMatchObject({ kind: 'refused', final: true });
      expect(forgotten).toEqual([DEFINITION]);
    },
  );
});

describe('unknown', () => {
  it.each<[string, Error]>([
    ['time-out', noAnswer()],
    ['broken connection', noAnswer('ECONNRESET')],
    ['abort', noAnswer('AbortError')],
    ['fault of the server', awsError('ServerException', 'x', { $fault: 'server', $metadata: { httpStatusCode: 500 } })],
    ['gateway', awsError('Unknown', 'x', { $metadata: { httpStatusCode: 503 } })],
    ['anything else that is no answer', new SyntaxError('Unexpected token <')],
  ])('is a %s', async (_what, error) => {
    expect((await launch(rejecting(error))).result.kind).toBe('unknown');
  });

  it('is an answer that says nothing', async () => {
    expect((await launch({ runTask: async () => ({ tasks: [], failures: [] }) })).result.kind).toBe('unknown');
  });
});
