import { mkdtemp, rm } from 'node:fs/promises';
import type { IncomingMessage } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo, Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CloudWatchLogsClient, CreateLogGroupCommand } from '@aws-sdk/client-cloudwatch-logs';
import { CreateTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { CreateClusterCommand, ECSClient } from '@aws-sdk/client-ecs';
import { PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { type AwsEmulator, startAwsEmulator } from '../../infra/local/aws/emulator.ts';
import { createQueues, queueClient, startQueues } from '../../infra/local/cloud/queues.ts';
import { type EmbeddedKubernetes, startEmbeddedKubernetes } from '../../infra/local/kubernetes/server.ts';
import { SimulatedRuntime } from '../../infra/local/runtimes/simulated/simulated-runtime.ts';
import { tableDefinition } from '../../src/adapters/dynamodb/schema.ts';
import { SystemClock } from '../../src/adapters/system/system-clock.ts';
import type { Variables } from '../../src/app/foundation.ts';

const REGION = 'eu-west-1';
const CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' };
const CLUSTER = `arn:aws:ecs:${REGION}:000000000000:cluster/svk-bench`;

/** One request that a server of the cloud received. */
export interface WireCall {
  readonly service: 'kubernetes' | 'dynamodb' | 'aws';
  /** `GET /api/v1/…`, or the operation of an AWS service. */
  readonly operation: string;
  readonly agent: string;
  /** Of the request, head and body, before TLS. */
  readonly bytes: number;
}

/** Kubernetes, DynamoDB and ECS in this process, each counting what reaches it. No schedule and no beat runs here. */
export interface CountedCloud {
  readonly kubernetes: EmbeddedKubernetes;
  readonly aws: AwsEmulator;
  readonly calls: WireCall[];
  /** What a function of this deployment finds in its environment. */
  readonly variables: Variables;
  close(): Promise<void>;
}

/** Starts it. `onTaskEvent` gets what EventBridge would deliver. */
export const startCountedCloud = async (
  onTaskEvent: (event: unknown) => void,
  { nodes = ['fargate'] }: { readonly nodes?: readonly string[] } = {},
): Promise<CountedCloud> => {
  const calls: WireCall[] = [];
  const count =
    (service: WireCall['service']) =>
    ({ method, url, headers, rawHeaders }: IncomingMessage): void => {
      const target = headers['x-amz-target'];
      const operation =
        typeof target === 'string' ? (target.split('.')[1] ?? target) : `${method} ${url?.split('?')[0]}`;
      const bytes = rawHeaders.join('----').length + Number(headers['content-length'] ?? 0);
      calls.push({ service, operation, agent: headers['user-agent'] ?? '', bytes });
    };
  const directory = await mkdtemp(join(tmpdir(), 'svk-bench-'));
  const kubernetes = await startEmbeddedKubernetes({ directory, onRequest: count('kubernetes') });
  const database = await startDynalite(count('dynamodb'));
  const queues = await startQueues(0, REGION);
  const sqs = queueClient(REGION, queues.url);
  const resources = { Pods: { Type: 'AWS::SQS::Queue' }, Beats: { Type: 'AWS::SQS::Queue' } };
  const provider = { stage: 'bench', region: REGION };
  const service = { service: 'svk', provider, functions: {}, resources: { Resources: resources } };
  await createQueues(sqs, { service, queueUrl: queues.url });
  sqs.destroy();
  const runtime = new SimulatedRuntime(new SystemClock());
  const aws = await startAwsEmulator({
    region: REGION,
    accountId: '000000000000',
    runtime,
    onEvent: onTaskEvent,
    onRequest: count('aws'),
  });
  await provide(aws.url, database.url, {
    server: kubernetes.url,
    certificateAuthority: kubernetes.certificateAuthority,
    token: kubernetes.token,
  });
  // The SDK's clients of this process read them as those of a function do.
  Object.assign(process.env, {
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
    AWS_ENDPOINT_URL_ECS: aws.url,
    AWS_ENDPOINT_URL_CLOUDWATCH_LOGS: aws.url,
    AWS_ENDPOINT_URL_SSM: aws.url,
  });
  return {
    kubernetes,
    aws,
    calls,
    variables: {
      AWS_REGION: REGION,
      AWS_ENDPOINT_URL_DYNAMODB: database.url,
      AWS_ENDPOINT_URL_SSM: aws.url,
      SVK_SETTINGS: JSON.stringify(settingsOf(nodes)),
      SVK_TABLE: 'bench',
      AWS_ENDPOINT_URL_SQS: queues.url,
      SVK_POD_QUEUE_URL: `${queues.url}/000000000000/svk-bench-Pods`,
      SVK_BEATS_QUEUE_URL: `${queues.url}/000000000000/svk-bench-Beats`,
      SVK_ECS_CLUSTER: CLUSTER,
      SVK_LOG_GROUP: '/svk/bench/pods',
      SVK_EXECUTION_ROLE_ARN: 'arn:aws:iam::000000000000:role/svk-bench-execution',
      SVK_CREDENTIALS_PARAMETER: '/svk-system/bench/kubernetes',
      SVK_ADMISSION_SECRET_PARAMETER: '/svk-system/bench/admission',
    },
    close: async () => {
      await Promise.all([kubernetes.close(), aws.close(), database.close(), queues.close()]);
      await rm(directory, { recursive: true, force: true });
    },
  };
};

const settingsOf = (nodes: readonly string[]): object => ({
  deployment: 'bench',
  provider: 'fargate',
  nodes: nodes.map((name) => ({
    name,
    capacity: { cpu: '200', memory: '800Gi', pods: '500' },
    architecture: 'amd64',
    profile: 'default',
  })),
  profiles: { default: { subnets: ['subnet-0a'], securityGroups: ['sg-0a'] } },
});

const startDynalite = async (
  onRequest: (request: IncomingMessage) => void,
): Promise<{ readonly url: string; close(): Promise<void> }> => {
  const dynalite = createRequire(import.meta.url)('dynalite') as (options: object) => Server;
  const server = dynalite({ createTableMs: 0 });
  server.on('request', onRequest);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
};

const provide = async (awsUrl: string, databaseUrl: string, credentials: object): Promise<void> => {
  const at = (endpoint: string) => ({ endpoint, region: REGION, credentials: CREDENTIALS });
  const dynamodb = new DynamoDBClient(at(databaseUrl));
  await dynamodb.send(new CreateTableCommand(tableDefinition('bench')));
  const ecs = new ECSClient(at(awsUrl));
  await ecs.send(
    new CreateClusterCommand({ clusterName: 'svk-bench', capacityProviders: ['FARGATE', 'FARGATE_SPOT'] }),
  );
  const logs = new CloudWatchLogsClient(at(awsUrl));
  await logs.send(new CreateLogGroupCommand({ logGroupName: '/svk/bench/pods' }));
  const ssm = new SSMClient(at(awsUrl));
  const Name = '/svk-system/bench/kubernetes';
  await ssm.send(new PutParameterCommand({ Name, Value: JSON.stringify(credentials), Type: 'SecureString' }));
  for (const client of [dynamodb, ecs, logs, ssm]) client.destroy();
};
