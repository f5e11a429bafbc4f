/** AWS's side of the `fargate` rows: the emulator, with tasks as local processes and real terminals. */
import { CloudWatchLogsClient, CreateLogGroupCommand } from '@aws-sdk/client-cloudwatch-logs';
import { CreateClusterCommand, ECSClient, PutClusterCapacityProvidersCommand } from '@aws-sdk/client-ecs';
import { noDelays } from '../../../infra/local/aws/delays.ts';
import { startAwsEmulator } from '../../../infra/local/aws/emulator.ts';
import { ProcessRuntime } from '../../../infra/local/runtimes/process/process-runtime.ts';
import { answerParent } from './answer-parent.ts';
import { AWS_SETTINGS, CLUSTER, LOG_GROUP } from './fargate-names.ts';

/** What the benchmark is told when it listens. */
export interface FargateTargetAddress {
  readonly url: string;
}

const { region, credentials } = AWS_SETTINGS;
const aws = await startAwsEmulator({
  region,
  runtime: new ProcessRuntime(),
  delays: noDelays,
  throttles: 'off',
  secretAccessKey: credentials.secretAccessKey,
});
const ecs = new ECSClient({ ...AWS_SETTINGS, endpoint: aws.url });
await ecs.send(new CreateClusterCommand({ clusterName: CLUSTER }));
await ecs.send(
  new PutClusterCapacityProvidersCommand({
    cluster: CLUSTER,
    capacityProviders: ['FARGATE'],
    defaultCapacityProviderStrategy: [],
  }),
);
const logs = new CloudWatchLogsClient({ ...AWS_SETTINGS, endpoint: aws.url });
await logs.send(new CreateLogGroupCommand({ logGroupName: LOG_GROUP }));
for (const client of [ecs, logs]) client.destroy();
const address: FargateTargetAddress = { url: aws.url };
answerParent(address);
