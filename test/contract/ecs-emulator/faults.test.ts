import {
  DescribeTasksCommand,
  ListTasksCommand,
  RegisterTaskDefinitionCommand,
  RunTaskCommand,
  StopTaskCommand,
} from '@aws-sdk/client-ecs';
import { GetParameterCommand } from '@aws-sdk/client-ssm';
import { describe, expect, it } from 'vitest';
import { definition, refusal, runRequest, startUpMs, startWorld } from './harness.ts';

const onSpot = {
  launchType: undefined,
  capacityProviderStrategy: [{ capacityProvider: 'FARGATE_SPOT', weight: 1 }],
};

describe('faults on demand', () => {
  it('throttles one action as often as told', async () => {
    const { ecs, aws } = await startWorld();
    aws.faults.inject({ kind: 'throttle', action: 'ListTasks', count: 2 });
    const list = async (): Promise<unknown> => ecs.send(new ListTasksCommand({ cluster: 'pods' }));
    expect(await refusal(list())).toBe('ThrottlingException: Rate exceeded');
    expect(await refusal(list())).toBe('ThrottlingException: Rate exceeded');
    expect(await list()).toMatchObject({ taskArns: [] });
  });

  it('dresses a throttle as an invalid parameter', async () => {
    const { ecs, aws, register } = await startWorld();
    await register();
    aws.faults.inject({ kind: 'throttle', dressed: true, count: 1 });
    expect(await refusal(ecs.send(new RunTaskCommand(runRequest())))).toBe(
      'InvalidParameterException: Error retrieving subnet information for [subnet-1]: Rate exceeded (ErrorCode: Throttling)',
    );
  });

  it.each([
    {
      fault: { kind: 'capacity' as const },
      reason: 'Capacity is unavailable at this time. Please try again later or in a different availability zone',
    },
    {
      fault: { kind: 'vcpu-quota' as const },
      reason: "You've reached the limit on the number of vCPUs you can run concurrently",
    },
  ])('answers 200 with failures[] for $fault.kind, until it is cleared', async ({ fault, reason }) => {
    const { ecs, aws, register, run } = await startWorld();
    await register();
    aws.faults.inject(fault);
    const { tasks, failures } = await ecs.send(new RunTaskCommand(runRequest()));
    expect([tasks, failures]).toEqual([[], [{ reason }]]);
    aws.faults.clear();
    expect(await run()).toMatch(/^arn:/);
  });

  it('keeps Spot and on-demand capacity apart', async () => {
    const { ecs, aws, register, run } = await startWorld();
    await register();
    aws.faults.inject({ kind: 'capacity', capacityProvider: 'FARGATE_SPOT' });
    const spot = await ecs.send(new RunTaskCommand(runRequest(onSpot)));
    expect([spot.tasks, (await run()).length > 0]).toEqual([[], true]);
  });

  it('counts vCPUs against a quota where one is set', async () => {
    const { ecs, clock, register, run } = await startWorld({ quotas: { onDemandVcpu: 0.5 } });
    await register();
    const first = await run();
    await run();
    const third = await ecs.send(new RunTaskCommand(runRequest()));
    expect(third.failures?.[0]?.reason).toBe(
      "You've reached the limit on the number of vCPUs you can run concurrently",
    );
    await ecs.send(new StopTaskCommand({ cluster: 'pods', task: first }));
    await clock.advance(60_000);
    expect(await run()).toMatch(/^arn:/);
  });

  it('makes a new task MISSING for its first seconds, in every read', async () => {
    const { ecs, aws, clock, register, run, task } = await startWorld();
    await register();
    aws.faults.inject({ kind: 'missing', seconds: 5, count: 1 });
    const arn = await run();
    const described = await ecs.send(new DescribeTasksCommand({ cluster: 'pods', tasks: [arn] }));
    const listed = await ecs.send(new ListTasksCommand({ cluster: 'pods' }));
    expect([described.failures?.[0]?.reason, listed.taskArns]).toEqual(['MISSING', []]);
    expect(await refusal(ecs.send(new StopTaskCommand({ cluster: 'pods', task: arn })))).toBe(
      'InvalidParameterException: The referenced task was not found.',
    );
    await clock.advance(5000);
    expect((await task(arn)).lastStatus).toBe('RUNNING');
  });

  it('makes one known task MISSING for some seconds', async () => {
    const { ecs, aws, clock, register, run, task } = await startWorld();
    await register();
    const [one, other] = [await run(), await run()];
    aws.faults.inject({ kind: 'missing', taskArn: one, forSeconds: 30 });
    const { tasks, failures } = await ecs.send(new DescribeTasksCommand({ cluster: 'pods', tasks: [one, other] }));
    expect([tasks?.map(({ taskArn }) => taskArn), failures?.map(({ arn }) => arn)]).toEqual([[other], [one]]);
    await clock.advance(30_000);
    expect((await task(one)).lastStatus).toBe('RUNNING');
  });

  it('is down for some seconds: ECS only', async () => {
    const { ecs, ssm, aws, clock } = await startWorld();
    aws.faults.inject({ kind: 'outage', forSeconds: 60 });
    expect(await refusal(ecs.send(new ListTasksCommand({ cluster: 'pods' })))).toBe(
      'ServerException: Service Unavailable. Please try again later.',
    );
    expect(await refusal(ssm.send(new GetParameterCommand({ Name: '/a' })))).toMatch(/^ParameterNotFound/);
    await clock.advance(60_000);
    expect(await ecs.send(new ListTasksCommand({ cluster: 'pods' }))).toMatchObject({ taskArns: [] });
  });

  it('hangs until the client gives up', async () => {
    const { ecs, aws } = await startWorld();
    aws.faults.inject({ kind: 'outage', manner: 'hang', count: 1 });
    const patience = AbortSignal.timeout(50);
    const error = await refusal(ecs.send(new ListTasksCommand({ cluster: 'pods' }), { abortSignal: patience }));
    expect(error).toBe('AbortError: Request aborted');
  });

  it.each([
    { when: 'before' as const, started: 0 },
    { when: 'after' as const, started: 1 },
  ])('gives no answer to RunTask $when it started the task', async ({ when, started }) => {
    const { ecs, aws, register, run } = await startWorld();
    await register();
    aws.faults.inject({ kind: 'run-task-unanswered', when, manner: 'reset', count: 1 });
    const request = runRequest({ clientToken: 'uid-1', startedBy: 'svk/1' });
    expect(await refusal(ecs.send(new RunTaskCommand(request)))).toMatch(/socket hang up|ECONNRESET/);
    expect(aws.ecs.tasks).toHaveLength(started);
    await run({ clientToken: 'uid-1', startedBy: 'svk/1' });
    expect(aws.ecs.tasks).toHaveLength(1);
  });

  it('refuses a registration as contended', async () => {
    const { ecs, aws } = await startWorld();
    aws.faults.inject({ kind: 'registration-conflict', count: 1 });
    expect(await refusal(ecs.send(new RegisterTaskDefinitionCommand(definition())))).toBe(
      'ClientException: Too many concurrent attempts to create a new revision of the specified family.',
    );
  });

  it('interrupts a Spot task: first an event while it runs, then the end', async () => {
    const { aws, clock, register, run, task, events } = await startWorld();
    await register();
    const arn = await run(onSpot);
    await clock.advance(startUpMs + 10);
    const before = events.length;
    aws.faults.inject({ kind: 'spot-interruption', taskArn: arn });
    await clock.advance(60_000);
    expect(events[before]?.detail).toMatchObject({
      lastStatus: 'RUNNING',
      desiredStatus: 'STOPPED',
      stopCode: 'SpotInterruption',
      stoppedReason: 'Your Spot Task was interrupted.',
    });
    expect((await task(arn)).lastStatus).toBe('STOPPED');
  });

  it('refuses to interrupt what is not on Spot', async () => {
    const { aws, register, run } = await startWorld();
    await register();
    const taskArn = await run();
    expect(() => aws.faults.inject({ kind: 'spot-interruption', taskArn })).toThrow('is not a Spot task');
  });

  it('announces a retirement and then does it', async () => {
    const { aws, clock, register, run, task, events } = await startWorld();
    await register();
    const arn = await run();
    await clock.advance(startUpMs + 10);
    const before = events.length;
    aws.faults.inject({ kind: 'retirement', taskArn: arn, noticeSeconds: 600 });
    await clock.advance(599_000);
    expect([events.length - before, events[before]?.['detail-type'], (await task(arn)).lastStatus]).toEqual([
      1,
      'AWS Health Event',
      'RUNNING',
    ]);
    expect(events[before]?.detail).toMatchObject({
      eventTypeCode: 'AWS_ECS_TASK_PATCHING_RETIREMENT',
      affectedEntities: [{ entityValue: arn }],
    });
    await clock.advance(60_000);
    expect(await task(arn)).toMatchObject({
      lastStatus: 'STOPPED',
      stopCode: 'InfrastructureHealth',
      stoppedReason: 'ECS is performing maintenance on the underlying infrastructure hosting the task.',
    });
  });

  it('shows a stranger among the containers, which holds nothing up', async () => {
    const { aws, clock, register, run, task } = await startWorld();
    await register();
    aws.faults.inject({ kind: 'stranger', name: 'aws-guardduty-agent-x', count: 1 });
    const arn = await run();
    await clock.advance(startUpMs);
    const { lastStatus, containers } = await task(arn);
    expect(lastStatus).toBe('RUNNING');
    expect(containers?.[1]).toMatchObject({ name: 'aws-guardduty-agent-x', lastStatus: 'RUNNING', cpu: 'null' });
    expect(containers?.[1]).not.toHaveProperty('image');
  });
});
