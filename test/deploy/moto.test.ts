import { DescribeTableCommand, DynamoDBClient, ListTablesCommand } from '@aws-sdk/client-dynamodb';
import { DescribeClustersCommand, ECSClient } from '@aws-sdk/client-ecs';
import { GetQueueAttributesCommand, ListQueuesCommand, SQSClient } from '@aws-sdk/client-sqs';
import { GetParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Moto, startMoto } from './support/moto.ts';
import { serverless } from './support/serverless.ts';
import { requireDeployTools, withoutDeployTools } from './support/tools.ts';

const clientOptions = ({ endpoint }: Moto) => ({
  endpoint,
  region: 'eu-west-1',
  credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
});

/** What Lambda would answer; moto takes the region from the credential's scope. */
const lambda = async ({ endpoint }: Moto, path: string): Promise<unknown> => {
  const authorization =
    'AWS4-HMAC-SHA256 Credential=test/20300101/eu-west-1/lambda/aws4_request, SignedHeaders=host, Signature=none';
  const response = await fetch(`${endpoint}/2015-03-31/${path}`, { headers: { authorization } });
  return response.json();
};

const workerSettings = async (moto: Moto): Promise<string> => {
  const { Environment } = (await lambda(moto, 'functions/svk-dev-pod-worker/configuration')) as {
    Environment: { Variables: Readonly<Record<string, string>> };
  };
  return Environment.Variables['SVK_SETTINGS'] ?? '';
};

describe.skipIf(withoutDeployTools)('serverless deploy', () => {
  let moto: Moto;
  beforeAll(async () => {
    moto = await startMoto(requireDeployTools().python);
  });
  afterAll(() => moto.stop());

  it('deploys, changes nothing twice, changes in place and back, stands beside another stage, and is removed but for the table', async () => {
    const deploy = (...args: readonly string[]): ReturnType<typeof serverless> =>
      serverless(['deploy', '--param', 'securityGroups=sg-0123456789abcdef0', ...args], moto.environment);
    const first = ['--param', 'subnets=subnet-0123456789abcdef0'];

    const { output } = deploy(...first);
    expect(output).toContain('Service deployed to stack svk-dev');
    // D-02: whoever deploys hears of it; this account of moto's has no such subnet.
    expect(output).toContain('profile default: there is no subnet subnet-0123456789abcdef0 in this region: correct it');
    await expectDeployed(moto);
    expect(await workerSettings(moto)).toContain('"subnets":["subnet-0123456789abcdef0"]');

    expect(deploy(...first).output).toContain('No changes to deploy. Deployment skipped.');

    expect(deploy('--param', 'subnets=subnet-0123456789abcdef1,subnet-0123456789abcdef2').output).toContain(
      'Service deployed to stack svk-dev',
    );
    expect(await workerSettings(moto)).toContain('"subnets":["subnet-0123456789abcdef1","subnet-0123456789abcdef2"]');

    const [before] = [...serverless(['deploy', 'list'], moto.environment).output.matchAll(/Timestamp: (\d+)/g)];
    const rollback = serverless(['rollback', '--timestamp', before?.[1] ?? ''], moto.environment);
    expect(rollback.output).toContain('Service rolled back');
    expect(await workerSettings(moto)).toContain('"subnets":["subnet-0123456789abcdef0"]');

    const nodes = ['--param', 'settings=test/deploy/support/two-nodes.yml'];
    expect(deploy('--stage', 'prod', ...nodes).output).toContain('Service deployed to stack svk-prod');
    expect(await stagesOf(moto)).toEqual(['dev', 'prod']);
    expect(await nodesOf(moto, 'dev')).toEqual(['fargate']);
    expect(await nodesOf(moto, 'prod')).toEqual(['on-demand', 'spot']);
    expect(await workerSettings(moto)).toContain('"subnets":["subnet-0123456789abcdef0"]');
    const removed = 'Service svk has been successfully removed';
    expect(serverless(['remove', '--stage', 'prod', ...nodes], moto.environment).output).toContain(removed);
    expect(await stagesOf(moto)).toEqual(['dev']);

    expect(serverless(['remove'], moto.environment).output).toContain(removed);
    expect(await lambda(moto, 'functions/')).toEqual({ Functions: [] });
    expect((await new SQSClient(clientOptions(moto)).send(new ListQueuesCommand({}))).QueueUrls ?? []).toEqual([]);
    const { TableNames } = await new DynamoDBClient(clientOptions(moto)).send(new ListTablesCommand({}));
    // One of each stage.
    expect(TableNames).toHaveLength(2);
  });
});

/** Stages of which there are functions. */
const stagesOf = async (moto: Moto): Promise<readonly string[]> => {
  const { Functions } = (await lambda(moto, 'functions/')) as { Functions: readonly { FunctionName: string }[] };
  const stages = Functions.map(({ FunctionName }) => /^svk-([a-z]+)-/.exec(FunctionName)?.[1] ?? '');
  expect(stages).toHaveLength(new Set(stages).size * 7);
  return [...new Set(stages)].toSorted();
};

/** What each stage tells `svk manifests` about its nodes. moto knows no HTTP APIs. */
const nodesOf = async (moto: Moto, stage: string): Promise<unknown> => {
  const ssm = new SSMClient(clientOptions(moto));
  const { Parameter } = await ssm.send(new GetParameterCommand({ Name: `/svk-system/${stage}/deployment` }));
  return (JSON.parse(Parameter?.Value ?? '') as { readonly nodes: unknown }).nodes;
};

const expectDeployed = async (moto: Moto): Promise<void> => {
  const { Functions } = (await lambda(moto, 'functions/')) as { Functions: readonly { FunctionName: string }[] };
  expect(Functions.map(({ FunctionName }) => FunctionName).toSorted()).toEqual([
    'svk-dev-admission',
    'svk-dev-container-logs',
    'svk-dev-kubelet-api',
    'svk-dev-node-heartbeat',
    'svk-dev-pod-resync',
    'svk-dev-pod-worker',
    'svk-dev-task-collector',
  ]);

  const { EventSourceMappings } = (await lambda(moto, 'event-source-mappings/')) as {
    EventSourceMappings: readonly { EventSourceArn: string; ScalingConfig: unknown; State: string }[];
  };
  const mappings = EventSourceMappings.map(({ EventSourceArn, ...mapping }) => ({
    queue: /:svk-dev-(\w+)-/.exec(EventSourceArn)?.[1],
    ...mapping,
  }));
  expect(mappings.find(({ queue }) => queue === 'BeatsQueue')).toMatchObject({
    ScalingConfig: { MaximumConcurrency: 2 },
  });
  expect(mappings.find(({ queue }) => queue === 'PodQueue')).toMatchObject({
    ScalingConfig: { MaximumConcurrency: 4 },
    State: 'Enabled',
  });

  const dynamodb = new DynamoDBClient(clientOptions(moto));
  const { TableNames = [] } = await dynamodb.send(new ListTablesCommand({}));
  const { Table } = await dynamodb.send(new DescribeTableCommand({ TableName: TableNames[0] }));
  expect(Table?.GlobalSecondaryIndexes?.map(({ IndexName }) => IndexName)).toEqual(['known-pods', 'timers']);

  const ecs = new ECSClient(clientOptions(moto));
  const { clusters } = await ecs.send(new DescribeClustersCommand({ clusters: ['svk-dev'] }));
  expect(clusters?.map(({ clusterName, status }) => [clusterName, status])).toEqual([['svk-dev', 'ACTIVE']]);

  const sqs = new SQSClient(clientOptions(moto));
  const { QueueUrls = [] } = await sqs.send(new ListQueuesCommand({}));
  const pods = QueueUrls.find((url) => url.includes('svk-dev-PodQueue-'));
  const { Attributes } = await sqs.send(
    new GetQueueAttributesCommand({ QueueUrl: pods, AttributeNames: ['VisibilityTimeout', 'RedrivePolicy'] }),
  );
  expect(Attributes?.['VisibilityTimeout']).toBe('90');
  expect(Attributes?.['RedrivePolicy']).toContain('svk-dev-PodDeadLetterQueue-');
};
