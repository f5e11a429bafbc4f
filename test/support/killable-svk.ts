import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { CloudWatchLogsClient, CreateLogGroupCommand } from '@aws-sdk/client-cloudwatch-logs';
import { CreateTableCommand, DynamoDBClient, ScanCommand } from '@aws-sdk/client-dynamodb';
import {
  CreateClusterCommand,
  DescribeTasksCommand,
  ECSClient,
  ListTasksCommand,
  type Task,
} from '@aws-sdk/client-ecs';
import type { Delays } from '../../infra/local/aws/delays.ts';
import { startAwsEmulator } from '../../infra/local/aws/emulator.ts';
import type { FaultBoard } from '../../infra/local/aws/faults/fault-board.ts';
import type { TaskRuntime } from '../../infra/local/runtimes/runtime.ts';
import { SimulatedRuntime } from '../../infra/local/runtimes/simulated/simulated-runtime.ts';
import { tableDefinition } from '../../src/adapters/dynamodb/schema.ts';
import { SystemClock } from '../../src/adapters/system/system-clock.ts';
import { startDynalite } from '../contract/stores/dynalite-server.ts';
import { type Child, startChild } from './child.ts';

const SVK = fileURLToPath(new URL('../../src/cli/svk.mjs', import.meta.url));
const REGION = 'eu-central-1';
const LOG_GROUP = '/svk/kill/pods';
const TABLE = 'svk-kill';
const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };

/** Quick, but not so quick that nothing could happen in between. */
const delays: Delays = {
  provisioning: 300,
  pending: 200,
  pull: 200,
  execAgent: 100,
  deactivating: 100,
  deprovisioning: 200,
  event: 10,
  logIngestion: 100,
  registration: 0,
};

/** `svk run --provider fargate --state dynamodb` on emulators that outlive it. */
export interface KillableSvk {
  /** Starts a process. @throws {Error} where the one before still lives: two at once would hide what a restart loses. */
  start(): Promise<void>;
  /** kill -9 */
  kill(): Promise<void>;
  /** SIGTERM */
  stop(): Promise<void>;
  /** Every task there ever was, stopped ones too. */
  tasks(): Promise<readonly Task[]>;
  /** Keys of the rows of pods. */
  podRows(): Promise<readonly string[]>;
  /** Flags and variables with which another process joins the same deployment. */
  readonly flags: Readonly<Record<string, string>>;
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** What can be made to go wrong at ECS. */
  readonly faults: Pick<FaultBoard, 'inject'>;
  /** File of its output. */
  readonly log: string;
  close(): Promise<void>;
}

/** Starts DynamoDB, ECS, CloudWatch Logs and Parameter Store, and no process yet. Containers are simulated unless `runtime` is another. */
export const createKillableSvk = async (
  kubeconfig: string,
  node: string,
  runtime: TaskRuntime = new SimulatedRuntime(new SystemClock()),
): Promise<KillableSvk> => {
  const folder = await mkdtemp(path.join(tmpdir(), 'svk-kill-'));
  const database = await startDynalite();
  const emulator = await startAwsEmulator({
    region: REGION,
    runtime,
    delays,
    throttles: 'off',
  });
  const dynamo = new DynamoDBClient({ endpoint: database.url, region: REGION, credentials });
  await dynamo.send(new CreateTableCommand(tableDefinition(TABLE)));
  const ecs = new ECSClient({ endpoint: emulator.url, region: REGION, credentials });
  const logs = new CloudWatchLogsClient({ endpoint: emulator.url, region: REGION, credentials });
  const { cluster } = await ecs.send(
    new CreateClusterCommand({ clusterName: 'kill', capacityProviders: ['FARGATE', 'FARGATE_SPOT'] }),
  );
  await logs.send(new CreateLogGroupCommand({ logGroupName: LOG_GROUP }));
  const config = path.join(folder, 'settings.json');
  const log = path.join(folder, 'svk.log');
  await writeFile(
    config,
    JSON.stringify({
      deployment: 'kill',
      provider: 'fargate',
      nodes: [{ name: node, capacity: { cpu: '1000', memory: '4000Gi', pods: '500' }, profile: 'default' }],
      profiles: {
        default: { subnets: ['subnet-0a'], securityGroups: ['sg-0a'] },
        spot: {
          subnets: ['subnet-0a'],
          securityGroups: ['sg-0a'],
          capacityProvider: 'FARGATE_SPOT',
          namespaces: ['spot'],
        },
      },
    }),
  );
  const flags = {
    kubeconfig,
    nodename: node,
    provider: 'fargate',
    'provider-config': config,
    state: 'dynamodb',
    'state-table': TABLE,
    'node-ip': '127.0.0.1',
    listen: '127.0.0.1:0',
    'metrics-addr': '',
    'serving-certificate': 'self-signed',
  };
  const environment = {
    PATH: process.env['PATH'],
    HOME: process.env['HOME'],
    AWS_REGION: REGION,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
    AWS_ENDPOINT_URL_DYNAMODB: database.url,
    AWS_ENDPOINT_URL_ECS: emulator.url,
    AWS_ENDPOINT_URL_CLOUDWATCH_LOGS: emulator.url,
    AWS_ENDPOINT_URL_SSM: emulator.url,
    AWS_ENDPOINT_URL_SECRETS_MANAGER: emulator.url,
    SVK_ECS_CLUSTER: cluster?.clusterArn ?? '',
    SVK_LOG_GROUP: LOG_GROUP,
    SVK_EXECUTION_ROLE_ARN: 'arn:aws:iam::123456789012:role/execution',
    SVK_TASK_ROLE_ARN: 'arn:aws:iam::123456789012:role/exec',
  };
  let child: Child | undefined;
  return {
    flags,
    environment,
    faults: emulator.faults,
    log,
    start: async () => {
      if (child && !child.hasEnded()) throw new Error('the process before has not ended');
      child = await startChild(
        [process.execPath, SVK, 'run', ...Object.entries(flags).map(([name, value]) => `--${name}=${value}`)],
        { env: environment, log },
      );
    },
    kill: async () => {
      if (child && !child.hasEnded()) process.kill(child.pid, 'SIGKILL');
      await child?.stop();
    },
    stop: async () => child?.stop(),
    tasks: async () => {
      const arns: string[] = [];
      for (const desiredStatus of ['RUNNING', 'STOPPED'] as const) {
        let nextToken: string | undefined;
        do {
          const page = await ecs.send(new ListTasksCommand({ cluster: 'kill', desiredStatus, nextToken }));
          arns.push(...(page.taskArns ?? []));
          nextToken = page.nextToken;
        } while (nextToken !== undefined);
      }
      const tasks: Task[] = [];
      for (let at = 0; at < arns.length; at += 100)
        tasks.push(
          ...((await ecs.send(new DescribeTasksCommand({ cluster: 'kill', tasks: arns.slice(at, at + 100) }))).tasks ??
            []),
        );
      return [...new Map(tasks.map((task) => [task.taskArn, task])).values()];
    },
    podRows: async () => {
      const keys: string[] = [];
      let from: Record<string, never> | undefined;
      do {
        const page = await dynamo.send(new ScanCommand({ TableName: TABLE, ExclusiveStartKey: from }));
        keys.push(...(page.Items ?? []).map(({ pk }) => pk?.S ?? ''));
        from = page.LastEvaluatedKey as Record<string, never> | undefined;
      } while (from !== undefined);
      return keys.filter((key) => key.startsWith('POD#'));
    },
    close: async () => {
      await child?.stop();
      for (const client of [dynamo, ecs, logs]) client.destroy();
      await emulator.close();
      await database.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
};
