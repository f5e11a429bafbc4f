import { describe, expect, it } from 'vitest';
import type { ContainerSpec, RunningContainer, TaskRuntime } from '../../../infra/local/runtimes/runtime.ts';
import { SimulatedRuntime } from '../../../infra/local/runtimes/simulated/simulated-runtime.ts';
import { FakeClock } from '../../fakes/clock.ts';
import { awslogs, executionRoleArn, scripted, startUpMs, startWorld } from './harness.ts';

const measured = { read: '2030-01-01T00:00:00Z', memory_stats: { usage: 4096 } };

/** A runtime whose containers reach this machine and are measured. */
const reachable = (clock: FakeClock): { readonly runtime: TaskRuntime; readonly given: ContainerSpec[] } => {
  const inner = new SimulatedRuntime(clock);
  const given: ContainerSpec[] = [];
  const withStats = (running: RunningContainer): RunningContainer => ({
    exited: running.exited,
    terminate: () => running.terminate(),
    kill: () => running.kill(),
    exec: (command, signal) => running.exec(command, signal),
    stats: async () => measured,
  });
  const runtime: TaskRuntime = {
    name: 'reachable',
    hostAddress: '127.0.0.1',
    openTask: async () => {
      const sandbox = await inner.openTask();
      return {
        ip: sandbox.ip,
        pull: (spec, signal) => sandbox.pull(spec, signal),
        start: async (spec, output) => {
          given.push(spec);
          return withStats(await sandbox.start(spec, output));
        },
        close: () => sandbox.close(),
      };
    },
    close: () => inner.close(),
  };
  return { runtime, given };
};

const startTask = async () => {
  const clock = new FakeClock();
  const { runtime, given } = reachable(clock);
  const world = await startWorld({ clock, runtime });
  const { CreateLogGroupCommand } = await import('@aws-sdk/client-cloudwatch-logs');
  await world.logs.send(new CreateLogGroupCommand({ logGroupName: 'pods' }));
  await world.register({
    executionRoleArn,
    containerDefinitions: [
      scripted('app', '', {
        logConfiguration: awslogs,
        memory: 256,
        environment: [{ name: 'AWS_REGION', value: 'mars' }],
      }),
      scripted('side', 'run 1s; exit 0', { essential: false }),
    ],
  });
  const arn = await world.run();
  await clock.advance(startUpMs + 1000);
  const uri = given[0]?.environment['ECS_CONTAINER_METADATA_URI_V4'] ?? '';
  const read = async (path: string): Promise<unknown> => {
    const response = await fetch(`${uri}${path}`);
    return response.ok ? response.json() : response.status;
  };
  return { ...world, clock, arn, uri, read, given };
};

describe('the task metadata endpoint, version 4', () => {
  it('is a path of its own for each container, next to what Fargate adds', async () => {
    const { given } = await startTask();
    const [app, side] = given.map(({ environment }) => environment);
    expect(app).toMatchObject({
      AWS_EXECUTION_ENV: 'AWS_ECS_FARGATE',
      AWS_REGION: 'mars',
      AWS_DEFAULT_REGION: 'eu-central-1',
      ECS_CONTAINER_METADATA_URI_V4: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/v4\/[\w-]{36}$/),
    });
    expect(side?.['ECS_CONTAINER_METADATA_URI_V4']).not.toBe(app?.['ECS_CONTAINER_METADATA_URI_V4']);
  });

  it('tells a container of itself', async () => {
    const { arn, read, task } = await startTask();
    const address = (await task(arn)).containers?.[0]?.networkInterfaces?.[0]?.privateIpv4Address ?? 'none';
    expect(await read('')).toMatchObject({
      DockerId: expect.stringMatching(/^[0-9a-f]{32}-\d{10}$/),
      Name: 'app',
      Image: 'nginx:1.27',
      ImageID: expect.stringMatching(/^sha256:/),
      Labels: {
        'com.amazonaws.ecs.cluster': 'arn:aws:ecs:eu-central-1:123456789012:cluster/pods',
        'com.amazonaws.ecs.container-name': 'app',
        'com.amazonaws.ecs.task-arn': arn,
        'com.amazonaws.ecs.task-definition-family': 'web',
        'com.amazonaws.ecs.task-definition-version': '1',
      },
      DesiredStatus: 'RUNNING',
      KnownStatus: 'RUNNING',
      Limits: { CPU: 0, Memory: 256 },
      StartedAt: '2030-01-01T00:00:03.500Z',
      Type: 'NORMAL',
      LogDriver: 'awslogs',
      LogOptions: awslogs.options,
      Networks: [{ NetworkMode: 'awsvpc', IPv4Addresses: [address] }],
    });
  });

  it('tells of the task and all of its containers', async () => {
    const { arn, read } = await startTask();
    expect(await read('/task')).toMatchObject({
      Cluster: 'arn:aws:ecs:eu-central-1:123456789012:cluster/pods',
      TaskARN: arn,
      Family: 'web',
      Revision: '1',
      KnownStatus: 'RUNNING',
      Limits: { CPU: 0.25, Memory: 512 },
      PullStartedAt: '2030-01-01T00:00:01.500Z',
      PullStoppedAt: '2030-01-01T00:00:03.500Z',
      LaunchType: 'FARGATE',
      Containers: [
        { Name: 'app', KnownStatus: 'RUNNING', Limits: { CPU: 0, Memory: 256 } },
        { Name: 'side', KnownStatus: 'STOPPED', ExitCode: 0, Limits: { CPU: 0, Memory: 512 } },
      ],
    });
  });

  it('hands on what the engine measures, null for what does not run', async () => {
    const { arn, read, task } = await startTask();
    expect(await read('/stats')).toEqual(measured);
    const [app = '', side = ''] = (await task(arn)).containers?.map(({ runtimeId }) => runtimeId) ?? [];
    expect(await read('/task/stats')).toEqual({ [app]: measured, [side]: null });
  });

  it('tells nothing without the path, of another path, and after the end', async () => {
    const { arn, uri, read, ecs, clock } = await startTask();
    const { StopTaskCommand } = await import('@aws-sdk/client-ecs');
    expect((await fetch(`${new URL(uri).origin}/v4/00000000-0000-4000-8000-000000000000/task`)).status).toBe(404);
    expect((await fetch(uri, { method: 'POST' })).status).toBe(405);
    expect(await read('/secrets')).toBe(404);
    await ecs.send(new StopTaskCommand({ cluster: 'pods', task: arn }));
    await clock.advance(5000);
    expect(await read('/task')).toBe(404);
  });
});
