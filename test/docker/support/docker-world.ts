import {
  CloudWatchLogsClient,
  CreateLogGroupCommand,
  GetLogEventsCommand,
  ResourceNotFoundException,
} from '@aws-sdk/client-cloudwatch-logs';
import {
  type ContainerDefinition,
  CreateClusterCommand,
  DescribeTasksCommand,
  ECSClient,
  RegisterTaskDefinitionCommand,
  type RegisterTaskDefinitionCommandInput,
  RunTaskCommand,
  type RunTaskCommandInput,
  StopTaskCommand,
  type Task,
} from '@aws-sdk/client-ecs';
import { noDelays } from '../../../infra/local/aws/delays.ts';
import { type AwsEmulator, startAwsEmulator } from '../../../infra/local/aws/emulator.ts';
import { DockerRuntime } from '../../../infra/local/runtimes/docker/docker-runtime.ts';
import type { EngineAddress } from '../../../infra/local/runtimes/docker/engine-address.ts';
import { SystemClock } from '../../../src/adapters/system/system-clock.ts';
import type { Clock } from '../../../src/core/clock.ts';
import { awslogs, executionRoleArn, runRequest } from '../../contract/ecs-emulator/harness.ts';
import { waitFor } from '../../support/local-cloud.ts';
import { address } from './engine.ts';
import { testImage } from './images.ts';

/** A task that was run, as SDK clients see it. */
export interface RunTask {
  readonly arn: string;
  describe(): Promise<Task>;
  /** The log of a container so far, as lines. */
  log(container?: string): Promise<readonly string[]>;
  stop(reason?: string): Promise<void>;
  /** The task once it is in that state. */
  reaches(lastStatus: 'RUNNING' | 'STOPPED'): Promise<Task>;
  /** Waits until the container has printed the line. */
  prints(line: string, container?: string): Promise<void>;
}

export interface DockerWorld {
  readonly aws: AwsEmulator;
  readonly runtime: DockerRuntime;
  readonly ecs: ECSClient;
  /** Registers and runs a task of these containers; the task has 0.25 vCPU and 512 MiB. */
  run(
    containers: readonly ContainerDefinition[],
    changes?: Partial<RegisterTaskDefinitionCommandInput>,
    request?: Partial<RunTaskCommandInput>,
  ): Promise<RunTask>;
  close(): Promise<void>;
}

/** A container of the test image that runs a shell script and whose output is kept. */
export const shell = (script: string, changes: Partial<ContainerDefinition> = {}): ContainerDefinition => ({
  name: 'app',
  image: testImage,
  entryPoint: ['/bin/sh', '-c'],
  command: [script],
  logConfiguration: awslogs,
  ...changes,
});

const patience = { withinMs: 120_000 };

/** The emulator with real containers behind it, and SDK clients to it. */
export const startDockerWorld = async (
  options: { readonly clock?: Clock; readonly engine?: EngineAddress; readonly insightsPeriodMs?: number } = {},
): Promise<DockerWorld> => {
  const runtime = await DockerRuntime.start(options.engine ?? address);
  const clock = options.clock ?? new SystemClock();
  const region = 'eu-central-1';
  const aws = await startAwsEmulator({
    region,
    runtime,
    clock,
    delays: noDelays,
    throttles: 'off',
    ...(options.insightsPeriodMs !== undefined && { insightsPeriodMs: options.insightsPeriodMs }),
  });
  const settings = { endpoint: aws.url, region, credentials: { accessKeyId: 'local', secretAccessKey: 'local' } };
  const ecs = new ECSClient(settings);
  const logs = new CloudWatchLogsClient(settings);
  await ecs.send(new CreateClusterCommand({ clusterName: 'pods', capacityProviders: ['FARGATE', 'FARGATE_SPOT'] }));
  await logs.send(new CreateLogGroupCommand({ logGroupName: 'pods' }));
  let families = 0;

  const taskOf = (arn: string): RunTask => {
    const describe = async (): Promise<Task> => {
      const { tasks = [] } = await ecs.send(new DescribeTasksCommand({ cluster: 'pods', tasks: [arn] }));
      const [task] = tasks;
      if (!task) throw new Error(`${arn} is MISSING`);
      return task;
    };
    const log = async (container = 'app'): Promise<readonly string[]> => {
      const logStreamName = `svk/${container}/${arn.split('/').at(-1)}`;
      try {
        const request = new GetLogEventsCommand({ logGroupName: 'pods', logStreamName, startFromHead: true });
        const { events = [] } = await logs.send(request);
        return events.map(({ message = '' }) => message);
      } catch (error) {
        // The stream is made when the container starts.
        if (error instanceof ResourceNotFoundException) return [];
        throw error;
      }
    };
    return {
      arn,
      describe,
      log,
      stop: async (reason) => {
        await ecs.send(new StopTaskCommand({ cluster: 'pods', task: arn, reason }));
      },
      reaches: async (lastStatus) => {
        await waitFor(
          async () => {
            const task = await describe();
            if (lastStatus !== 'STOPPED' && task.lastStatus === 'STOPPED') throw new Error(JSON.stringify(task));
            return task.lastStatus === lastStatus;
          },
          { ...patience, what: lastStatus },
        );
        return describe();
      },
      prints: (line, container) =>
        waitFor(async () => (await log(container)).includes(line), { ...patience, what: `the line "${line}"` }),
    };
  };

  return {
    aws,
    runtime,
    ecs,
    run: async (containers, changes = {}, request = {}) => {
      families += 1;
      const family = `family-${families}`;
      await ecs.send(
        new RegisterTaskDefinitionCommand({
          family,
          cpu: '256',
          memory: '512',
          networkMode: 'awsvpc',
          requiresCompatibilities: ['FARGATE'],
          executionRoleArn,
          containerDefinitions: [...containers],
          ...changes,
        }),
      );
      const { tasks = [], failures } = await ecs.send(
        new RunTaskCommand(runRequest({ taskDefinition: family, ...request })),
      );
      const arn = tasks[0]?.taskArn;
      if (arn === undefined) throw new Error(`no task was started: ${JSON.stringify(failures)}`);
      return taskOf(arn);
    },
    close: async () => {
      ecs.destroy();
      logs.destroy();
      await aws.close();
    },
  };
};
