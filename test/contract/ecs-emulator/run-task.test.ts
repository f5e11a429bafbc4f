import { ConflictException, RunTaskCommand, type RunTaskCommandInput, StopTaskCommand } from '@aws-sdk/client-ecs';
import { describe, expect, it } from 'vitest';
import { container, refusal, runRequest, startUpMs, startWorld } from './harness.ts';

describe('RunTask', () => {
  it('answers with a task that is PROVISIONING', async () => {
    const { ecs, register } = await startWorld();
    await register();
    const { tasks, failures } = await ecs.send(
      new RunTaskCommand(runRequest({ startedBy: 'svk/1/2', group: 'svk:1.1', tags: [{ key: 'pod', value: 'web' }] })),
    );
    expect(failures).toEqual([]);
    expect(tasks).toMatchObject([
      {
        lastStatus: 'PROVISIONING',
        desiredStatus: 'RUNNING',
        version: 1,
        startedBy: 'svk/1/2',
        group: 'svk:1.1',
        launchType: 'FARGATE',
        platformVersion: '1.4.0',
        cpu: '256',
        memory: '512',
        ephemeralStorage: { sizeInGiB: 20 },
        createdAt: new Date('2030-01-01T00:00:00Z'),
        tags: [{ key: 'pod', value: 'web' }],
        containers: [{ name: 'app', image: 'nginx:1.27', lastStatus: 'PENDING', networkInterfaces: [] }],
        attachments: [{ type: 'ElasticNetworkInterface', status: 'PRECREATED' }],
      },
    ]);
    expect(tasks?.[0]?.taskArn).toMatch(/^arn:aws:ecs:eu-central-1:123456789012:task\/pods\/[0-9a-f]{32}$/);
    expect(tasks?.[0]?.startedAt).toBeUndefined();
  });

  it.each<{ want: string; changes: Partial<RunTaskCommandInput>; error: string }>([
    {
      want: 'an unknown cluster',
      changes: { cluster: 'nobody' },
      error: 'ClusterNotFoundException: Cluster not found.',
    },
    {
      want: 'an unknown definition',
      changes: { taskDefinition: 'nobody' },
      error: 'ClientException: TaskDefinition not found.',
    },
    {
      want: 'no network configuration',
      changes: { networkConfiguration: undefined },
      error:
        "InvalidParameterException: Network Configuration must be provided when networkMode 'awsvpc' is specified.",
    },
    {
      want: 'a launch type beside a strategy',
      changes: { capacityProviderStrategy: [{ capacityProvider: 'FARGATE', weight: 1 }] },
      error:
        'InvalidParameterException: Specifying both a launch type and capacity provider strategy is not supported. Remove one and try again.',
    },
    {
      want: 'neither launch type nor strategy, since that means EC2',
      changes: { launchType: undefined },
      error: 'InvalidParameterException: No Container Instances were found in your cluster.',
    },
    {
      want: 'a strategy of weight zero',
      changes: { launchType: undefined, capacityProviderStrategy: [{ capacityProvider: 'FARGATE' }] },
      error: 'InvalidParameterException: The capacity provider strategy must have a weight greater than zero.',
    },
    {
      want: 'eleven tasks',
      changes: { count: 11 },
      error: 'InvalidParameterException: The number of tasks must be between 1 and 10.',
    },
    {
      want: 'startedBy with a colon',
      changes: { startedBy: 'a:b' },
      error:
        'InvalidParameterException: startedBy must be 1 to 128 letters, numbers, hyphens, forward slashes and underscores.',
    },
    {
      want: 'a clientToken of 65 characters',
      changes: { clientToken: 'x'.repeat(65) },
      error: 'InvalidParameterException: clientToken must be 1 to 64 ASCII characters in the range 33-126.',
    },
    {
      want: 'an override for nobody',
      changes: { overrides: { containerOverrides: [{ name: 'db' }] } },
      error: 'InvalidParameterException: Override for container named db is not a container in the TaskDefinition.',
    },
    {
      want: 'overrides above 8192 characters',
      changes: { overrides: { containerOverrides: [{ name: 'app', command: ['x'.repeat(8200)] }] } },
      error: 'InvalidParameterException: Container Overrides length must be at most 8192.',
    },
    {
      want: 'an overridden size that does not exist',
      changes: { overrides: { cpu: '256', memory: '4096' } },
      error:
        'InvalidParameterException: No Fargate configuration exists for given values: 256 CPU, 4096 memory. See the Amazon ECS documentation for the valid values.',
    },
    {
      want: 'an unknown platform version',
      changes: { platformVersion: '9.9.9' },
      error: "PlatformUnknownException: The platform version '9.9.9' does not exist.",
    },
    {
      want: 'exec without a task role',
      changes: { enableExecuteCommand: true },
      error:
        "InvalidParameterException: The task couldn't be run because a valid taskRoleArn is not being used. Specify a valid task role in your task definition and try again.",
    },
    {
      want: 'six security groups',
      changes: {
        networkConfiguration: {
          awsvpcConfiguration: {
            subnets: ['subnet-1'],
            securityGroups: ['sg-1', 'sg-2', 'sg-3', 'sg-4', 'sg-5', 'sg-6'],
          },
        },
      },
      error: 'InvalidParameterException: securityGroups can have at most 5 items.',
    },
  ])('refuses $want', async ({ changes, error }) => {
    const { ecs, register, aws } = await startWorld();
    await register();
    expect(await refusal(ecs.send(new RunTaskCommand(runRequest(changes))))).toBe(error);
    expect(aws.ecs.tasks).toEqual([]);
  });

  it('adds and replaces environment, replaces command, cpu and memory', async () => {
    const { register, run, clock, task, aws } = await startWorld();
    await register({
      containerDefinitions: [
        container({
          environment: [
            { name: 'A', value: '1' },
            { name: 'SVK_SIMULATE', value: 'exit 9' },
          ],
        }),
      ],
    });
    const arn = await run({
      overrides: {
        cpu: '512',
        memory: '1024',
        containerOverrides: [{ name: 'app', environment: [{ name: 'SVK_SIMULATE', value: 'run 1s; exit 4' }] }],
      },
    });
    await clock.advance(startUpMs + 5000);
    expect(await task(arn)).toMatchObject({ cpu: '512', memory: '1024', containers: [{ exitCode: 4 }] });
    expect(aws.ecs.tasks).toHaveLength(1);
  });

  it('says which capacity provider runs a Spot task', async () => {
    const { register, run, task } = await startWorld();
    await register();
    const arn = await run({
      launchType: undefined,
      capacityProviderStrategy: [{ capacityProvider: 'FARGATE_SPOT', weight: 1 }],
    });
    expect((await task(arn)).capacityProviderName).toBe('FARGATE_SPOT');
  });
});

describe('RunTask with a clientToken', () => {
  it('starts one task however often the same request is sent', async () => {
    const { register, run, aws } = await startWorld();
    await register();
    const arns = [await run({ clientToken: 'uid-1' }), await run({ clientToken: 'uid-1' })];
    expect(new Set(arns).size).toBe(1);
    expect(aws.ecs.tasks).toHaveLength(1);
    expect(await run({ clientToken: 'uid-2' })).not.toBe(arns[0]);
  });

  it('refuses another request under the token and names the task that has it', async () => {
    const { ecs, register, run } = await startWorld();
    await register();
    const arn = await run({ clientToken: 'uid-1' });
    const error: unknown = await ecs
      .send(new RunTaskCommand(runRequest({ clientToken: 'uid-1', startedBy: 'other' })))
      .catch((reason: unknown) => reason);
    expect(error).toBeInstanceOf(ConflictException);
    expect(error instanceof ConflictException && error.resourceIds).toEqual([arn]);
  });

  it('tells little of a task that has stopped, and forgets the token an hour later', async () => {
    const { ecs, clock, register, run } = await startWorld();
    await register();
    const arn = await run({ clientToken: 'uid-1' });
    await clock.advance(startUpMs);
    await ecs.send(new StopTaskCommand({ cluster: 'pods', task: arn }));
    await clock.advance(10_000);
    const again = await ecs.send(new RunTaskCommand(runRequest({ clientToken: 'uid-1' })));
    expect(again.tasks).toEqual([{ taskArn: arn, lastStatus: 'STOPPED', desiredStatus: 'STOPPED' }]);
    await clock.advance(3_600_000);
    expect(await run({ clientToken: 'uid-1' })).not.toBe(arn);
  });

  it('leaves the token free when nothing was started', async () => {
    const { ecs, aws, register, run } = await startWorld();
    await register();
    aws.faults.inject({ kind: 'capacity', count: 1 });
    const refused = await ecs.send(new RunTaskCommand(runRequest({ clientToken: 'uid-1' })));
    expect(refused.tasks).toEqual([]);
    expect(await run({ clientToken: 'uid-1', startedBy: 'changed' })).toMatch(/^arn:/);
  });
});
