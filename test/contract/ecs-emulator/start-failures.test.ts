import { CreateLogGroupCommand } from '@aws-sdk/client-cloudwatch-logs';
import { PutParameterCommand } from '@aws-sdk/client-ssm';
import { describe, expect, it } from 'vitest';
import { awslogs, container, executionRoleArn, scripted, startWorld } from './harness.ts';

describe('a task that cannot start', () => {
  it.each([
    {
      want: 'an image that is not there',
      script: 'pull-error not-found',
      reason:
        'CannotPullContainerError: pull image manifest has been retried 5 time(s): failed to resolve ref nginx:1.27: nginx:1.27: not found',
    },
    {
      want: 'a registry that had enough',
      script: 'pull-error rate-limit',
      reason:
        'CannotPullContainerError: pull image manifest has been retried 5 time(s): toomanyrequests: You have reached your pull rate limit',
    },
  ])('names $want', async ({ script, reason }) => {
    const { clock, register, run, task } = await startWorld();
    await register({ containerDefinitions: [scripted('app', script)] });
    const arn = await run();
    await clock.advance(30_000);
    const stopped = await task(arn);
    expect(stopped).toMatchObject({
      lastStatus: 'STOPPED',
      stopCode: 'TaskFailedToStart',
      stoppedReason: reason,
      containers: [{ lastStatus: 'STOPPED', reason }],
    });
    expect(stopped.pullStartedAt).toEqual(new Date('2030-01-01T00:00:01.500Z'));
    expect(stopped.pullStoppedAt).toBeUndefined();
    expect(stopped.containers?.[0]).not.toHaveProperty('exitCode');
  });

  it('gives the reason of a container that cannot start to the container', async () => {
    const { clock, register, run, task } = await startWorld();
    await register({ containerDefinitions: [scripted('app', 'start-error exec: "nope": not found')] });
    const arn = await run();
    await clock.advance(30_000);
    expect(await task(arn)).toMatchObject({
      stopCode: 'TaskFailedToStart',
      stoppedReason: 'Task failed to start',
      containers: [{ reason: 'CannotStartContainerError: exec: "nope": not found' }],
    });
  });

  it('names the log group that is missing, and makes it where told to', async () => {
    const { clock, register, run, task, aws } = await startWorld();
    await register({ executionRoleArn, containerDefinitions: [container({ logConfiguration: awslogs })] });
    const options = { ...awslogs.options, 'awslogs-create-group': 'true', 'awslogs-group': 'made' };
    await register({
      family: 'made',
      executionRoleArn,
      containerDefinitions: [container({ logConfiguration: { ...awslogs, options } })],
    });
    const arns = [await run(), await run({ taskDefinition: 'made' })];
    await clock.advance(30_000);
    expect((await task(arns[0] ?? '')).stoppedReason).toBe(
      'ResourceInitializationError: failed to validate logger args: create stream has been retried 1 times: failed to create Cloudwatch log stream: ResourceNotFoundException: The specified log group does not exist. : exit status 1',
    );
    expect((await task(arns[1] ?? '')).lastStatus).toBe('RUNNING');
    expect(aws.ecs.tasks).toHaveLength(2);
  });

  it('names the parameters it cannot find', async () => {
    const { clock, register, run, task } = await startWorld();
    const secrets = [
      { name: 'A', valueFrom: '/svk/a' },
      { name: 'B', valueFrom: 'arn:aws:ssm:eu-central-1:123456789012:parameter/svk/b' },
    ];
    await register({ executionRoleArn, containerDefinitions: [container({ secrets })] });
    const arn = await run();
    await clock.advance(30_000);
    expect(await task(arn)).toMatchObject({
      stopCode: 'TaskFailedToStart',
      stoppedReason:
        'ResourceInitializationError: unable to pull secrets or registry auth: execution resource retrieval failed: unable to retrieve secrets from ssm: service call has been retried 1 time(s): invalid ssm parameters: /svk/a, /svk/b',
    });
  });

  it('gives a container its secrets and keeps them out of every answer and event', async () => {
    const { clock, register, run, task, ssm, events, logs } = await startWorld();
    await logs.send(new CreateLogGroupCommand({ logGroupName: 'pods' }));
    await ssm.send(new PutParameterCommand({ Name: '/svk/script', Value: 'run 1s; exit 42', Type: 'SecureString' }));
    const secrets = [{ name: 'SVK_SIMULATE', valueFrom: 'arn:aws:ssm:eu-central-1:123456789012:parameter/svk/script' }];
    await register({ executionRoleArn, containerDefinitions: [container({ secrets, logConfiguration: awslogs })] });
    const arn = await run();
    await clock.advance(30_000);
    const stopped = await task(arn);
    expect(stopped.containers?.[0]?.exitCode).toBe(42);
    expect(JSON.stringify([stopped, events])).not.toContain('exit 42');
  });

  it('gives up on a container whose dependency failed', async () => {
    const { clock, register, run, task } = await startWorld();
    await register({
      containerDefinitions: [
        scripted('init', 'run 1s; exit 3', { essential: false }),
        container({ dependsOn: [{ containerName: 'init', condition: 'SUCCESS' }] }),
      ],
    });
    const arn = await run();
    await clock.advance(30_000);
    expect(await task(arn)).toMatchObject({
      lastStatus: 'STOPPED',
      stopCode: 'TaskFailedToStart',
      stoppedReason: 'Task failed to start',
      containers: [
        { name: 'init', exitCode: 3 },
        {
          name: 'app',
          exitCode: 143,
          reason:
            'CannotStartContainerError: dependency graph: failed to resolve container ordering dependency [init] for target [app] as dependency did not exit successfully.',
        },
      ],
    });
  });

  it('gives up when a dependency takes longer than its startTimeout', async () => {
    const { clock, register, run, task } = await startWorld();
    await register({
      containerDefinitions: [
        scripted('db', 'health unhealthy', {
          essential: false,
          startTimeout: 20,
          healthCheck: { command: ['CMD', 'ready'], interval: 5, retries: 10 },
        }),
        container({ dependsOn: [{ containerName: 'db', condition: 'HEALTHY' }] }),
      ],
    });
    const arn = await run();
    await clock.advance(23_000);
    expect((await task(arn)).lastStatus).toBe('ACTIVATING');
    await clock.advance(10_000);
    expect((await task(arn)).containers?.[1]?.reason).toBe(
      'CannotStartContainerError: dependency graph: failed to resolve container ordering dependency [db] for target [app] as dependency timed out.',
    );
  });
});

describe('health and memory', () => {
  it('reports health by the check without an event, and stops nothing', async () => {
    const { clock, register, run, task, events } = await startWorld();
    await register({
      containerDefinitions: [
        scripted('app', 'health unhealthy after 60s', {
          healthCheck: { command: ['CMD-SHELL', 'true'], interval: 10, retries: 3, timeout: 2 },
        }),
      ],
    });
    const arn = await run();
    await clock.advance(3500);
    const seen = [(await task(arn)).healthStatus];
    await clock.advance(10_000);
    seen.push((await task(arn)).containers?.[0]?.healthStatus);
    const eventsBefore = events.length;
    await clock.advance(69_000);
    seen.push((await task(arn)).healthStatus);
    await clock.advance(1000);
    seen.push((await task(arn)).healthStatus);
    expect(seen).toEqual(['UNKNOWN', 'HEALTHY', 'HEALTHY', 'UNHEALTHY']);
    expect((await task(arn)).lastStatus).toBe('RUNNING');
    expect(events).toHaveLength(eventsBefore);
    expect(JSON.stringify(events)).not.toContain('ealthStatus');
  });

  it('counts only essential containers for the health of the task', async () => {
    const { clock, register, run, task } = await startWorld();
    const healthCheck = { command: ['CMD', 'ready'], interval: 5, retries: 1 };
    await register({
      containerDefinitions: [
        scripted('app', '', { healthCheck }),
        scripted('side', 'health unhealthy', { healthCheck, essential: false }),
      ],
    });
    const arn = await run();
    await clock.advance(10_000);
    const { healthStatus, containers } = await task(arn);
    expect([healthStatus, containers?.map((container) => container.healthStatus)]).toEqual([
      'HEALTHY',
      ['HEALTHY', 'UNHEALTHY'],
    ]);
  });

  it('starts a dependant when its dependency is HEALTHY', async () => {
    const { clock, register, run, task } = await startWorld();
    await register({
      containerDefinitions: [
        scripted('db', 'health unhealthy; health healthy after 7s', {
          healthCheck: { command: ['CMD', 'ready'], interval: 5 },
        }),
        container({ dependsOn: [{ containerName: 'db', condition: 'HEALTHY' }] }),
      ],
    });
    const arn = await run();
    await clock.advance(3500 + 9900);
    expect((await task(arn)).lastStatus).toBe('ACTIVATING');
    await clock.advance(200);
    expect((await task(arn)).lastStatus).toBe('RUNNING');
  });

  it('says OutOfMemoryError with 137', async () => {
    const { clock, register, run, task } = await startWorld();
    await register({ containerDefinitions: [scripted('app', 'run 1s; oom')] });
    const arn = await run();
    await clock.advance(30_000);
    expect(await task(arn)).toMatchObject({
      stopCode: 'EssentialContainerExited',
      containers: [{ exitCode: 137, reason: 'OutOfMemoryError: Container killed due to memory usage' }],
    });
  });
});
