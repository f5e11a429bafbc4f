import { CloudWatchLogsClient } from '@aws-sdk/client-cloudwatch-logs';
import {
  type ContainerDefinition,
  CreateClusterCommand,
  DescribeTasksCommand,
  ECSClient,
  PutClusterCapacityProvidersCommand,
  RegisterTaskDefinitionCommand,
  type RegisterTaskDefinitionCommandInput,
  RunTaskCommand,
  type RunTaskCommandInput,
  type Task,
} from '@aws-sdk/client-ecs';
import { SSMClient } from '@aws-sdk/client-ssm';
import { onTestFinished } from 'vitest';
import type { Delays } from '../../../infra/local/aws/delays.ts';
import type { EventBridgeEvent } from '../../../infra/local/aws/ecs/task-event.ts';
import { type AwsEmulator, type EmulatorOptions, startAwsEmulator } from '../../../infra/local/aws/emulator.ts';
import { SimulatedRuntime } from '../../../infra/local/runtimes/simulated/simulated-runtime.ts';
import { FakeClock, SeededRandom } from '../../fakes/clock.ts';

/** Each step takes a different round time, so that a moment tells the step. */
const delays: Delays = {
  provisioning: 1000,
  pending: 500,
  pull: 2000,
  execAgent: 500,
  deactivating: 100,
  deprovisioning: 1000,
  event: 10,
  logIngestion: 300,
  registration: 0,
};

/** From RunTask to RUNNING with these delays. */
export const startUpMs = 3500;

export interface World {
  readonly clock: FakeClock;
  readonly aws: AwsEmulator;
  readonly ecs: ECSClient;
  readonly logs: CloudWatchLogsClient;
  readonly ssm: SSMClient;
  readonly events: EventBridgeEvent[];
  /** Gives the ARN. */
  readonly register: (changes?: Partial<RegisterTaskDefinitionCommandInput>) => Promise<string>;
  /** Gives the ARN. */
  readonly run: (changes?: Partial<RunTaskCommandInput>) => Promise<string>;
  readonly task: (arn: string) => Promise<Task>;
}

/** Unmodified SDK clients over HTTP against an emulator in virtual time, with a cluster `pods`; ends with the test. */
export const startWorld = async (options: Partial<EmulatorOptions> = {}): Promise<World> => {
  const clock = new FakeClock();
  const events: EventBridgeEvent[] = [];
  const aws = await startAwsEmulator({
    region: 'eu-central-1',
    runtime: new SimulatedRuntime(clock),
    clock,
    random: new SeededRandom(7),
    delays,
    throttles: 'off',
    secretAccessKey: 'local',
    onEvent: (event) => void events.push(event),
    ...options,
  });
  const settings = {
    endpoint: aws.url,
    region: 'eu-central-1',
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
    maxAttempts: 1,
  };
  const ecs = new ECSClient(settings);
  const logs = new CloudWatchLogsClient(settings);
  const ssm = new SSMClient(settings);
  onTestFinished(async () => {
    for (const client of [ecs, logs, ssm]) client.destroy();
    await aws.close();
  });
  await ecs.send(new CreateClusterCommand({ clusterName: 'pods' }));
  await ecs.send(
    new PutClusterCapacityProvidersCommand({
      cluster: 'pods',
      capacityProviders: ['FARGATE', 'FARGATE_SPOT'],
      defaultCapacityProviderStrategy: [],
    }),
  );
  return {
    clock,
    aws,
    ecs,
    logs,
    ssm,
    events,
    register: async (changes) => {
      const { taskDefinition } = await ecs.send(new RegisterTaskDefinitionCommand(definition(changes)));
      return taskDefinition?.taskDefinitionArn ?? '';
    },
    run: async (changes) => {
      const { tasks, failures } = await ecs.send(new RunTaskCommand(runRequest(changes)));
      const [task] = tasks ?? [];
      if (!task?.taskArn) throw new Error(`no task was started: ${JSON.stringify(failures)}`);
      return task.taskArn;
    },
    task: async (arn) => {
      const { tasks } = await ecs.send(new DescribeTasksCommand({ cluster: 'pods', tasks: [arn], include: ['TAGS'] }));
      const [task] = tasks ?? [];
      if (!task) throw new Error(`${arn} is MISSING`);
      return task;
    },
  };
};

/** A definition Fargate accepts: family `web`, one container `app`. */
export const definition = (
  changes: Partial<RegisterTaskDefinitionCommandInput> = {},
): RegisterTaskDefinitionCommandInput => ({
  family: 'web',
  cpu: '256',
  memory: '512',
  networkMode: 'awsvpc',
  requiresCompatibilities: ['FARGATE'],
  containerDefinitions: [container()],
  ...changes,
});

export const container = (changes: Partial<ContainerDefinition> = {}): ContainerDefinition => ({
  name: 'app',
  image: 'nginx:1.27',
  ...changes,
});

/** A container that plays `script` on the simulated runtime. */
export const scripted = (
  name: string,
  script: string,
  changes: Partial<ContainerDefinition> = {},
): ContainerDefinition => container({ name, dockerLabels: { 'svk.dev/simulate': script }, ...changes });

/** A request to run the newest `web` on Fargate in cluster `pods`. */
export const runRequest = (changes: Partial<RunTaskCommandInput> = {}): RunTaskCommandInput => ({
  cluster: 'pods',
  taskDefinition: 'web',
  launchType: 'FARGATE',
  networkConfiguration: { awsvpcConfiguration: { subnets: ['subnet-1'], securityGroups: ['sg-1'] } },
  ...changes,
});

export const executionRoleArn = 'arn:aws:iam::123456789012:role/execution';

/** `awslogs` into group `pods`. */
export const awslogs = {
  logDriver: 'awslogs' as const,
  options: { 'awslogs-group': 'pods', 'awslogs-region': 'eu-central-1', 'awslogs-stream-prefix': 'svk' },
};

/** The error a rejected call ends with, as `Name: message`. */
export const refusal = async (call: Promise<unknown>): Promise<string> => {
  try {
    await call;
  } catch (error) {
    if (error instanceof Error) return `${error.name}: ${error.message}`;
  }
  throw new Error('the call was expected to be refused');
};
