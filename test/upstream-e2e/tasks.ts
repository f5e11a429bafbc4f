import { CloudWatchLogsClient, CreateLogGroupCommand } from '@aws-sdk/client-cloudwatch-logs';
import { CreateClusterCommand, ECSClient } from '@aws-sdk/client-ecs';
import { type EmulatorOptions, startAwsEmulator } from '../../infra/local/aws/emulator.ts';
import { SimulatedRuntime } from '../../infra/local/runtimes/simulated/simulated-runtime.ts';
import { SystemClock } from '../../src/adapters/system/system-clock.ts';

const REGION = 'eu-central-1';
const LOG_GROUP = '/svk/e2e/pods';

/** What provider `fargate` needs to run on the emulator. */
export interface Tasks {
  /** The settings file of the deployment. */
  readonly settings: unknown;
  readonly environment: Readonly<Record<string, string>>;
  close(): Promise<void>;
}

/** Starts ECS with Container Insights and CloudWatch Logs; unless told otherwise tasks are simulated: any image will do. */
export const startTasks = async (node: string, options: Partial<EmulatorOptions> = {}): Promise<Tasks> => {
  const emulator = await startAwsEmulator({
    region: REGION,
    runtime: new SimulatedRuntime(new SystemClock()),
    ...options,
  });
  const client = {
    region: REGION,
    endpoint: emulator.url,
    credentials: { accessKeyId: 'local', secretAccessKey: 'local' },
  };
  const ecs = new ECSClient(client);
  const logs = new CloudWatchLogsClient(client);
  const { cluster } = await ecs.send(
    new CreateClusterCommand({
      clusterName: 'e2e',
      capacityProviders: ['FARGATE', 'FARGATE_SPOT'],
      settings: [{ name: 'containerInsights', value: 'enabled' }],
    }),
  );
  await logs.send(new CreateLogGroupCommand({ logGroupName: LOG_GROUP }));
  ecs.destroy();
  logs.destroy();
  return {
    settings: {
      deployment: 'e2e',
      provider: 'fargate',
      nodes: [{ name: node, capacity: { cpu: '20', memory: '80Gi', pods: '50' }, profile: 'default' }],
      profiles: { default: { subnets: ['subnet-0a'], securityGroups: ['sg-0a'] } },
    },
    environment: {
      AWS_REGION: REGION,
      AWS_ACCESS_KEY_ID: 'local',
      AWS_SECRET_ACCESS_KEY: 'local',
      AWS_ENDPOINT_URL_ECS: emulator.url,
      AWS_ENDPOINT_URL_CLOUDWATCH_LOGS: emulator.url,
      AWS_ENDPOINT_URL_SSM: emulator.url,
      AWS_ENDPOINT_URL_KMS: emulator.url,
      SVK_ECS_CLUSTER: cluster?.clusterArn ?? '',
      SVK_LOG_GROUP: LOG_GROUP,
      SVK_EXECUTION_ROLE_ARN: 'arn:aws:iam::123456789012:role/execution',
    },
    close: () => emulator.close(),
  };
};
