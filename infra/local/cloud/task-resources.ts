import { CloudWatchLogsClient, CreateLogGroupCommand } from '@aws-sdk/client-cloudwatch-logs';
import { CreateClusterCommand, ECSClient } from '@aws-sdk/client-ecs';
import type { LocalCredentials } from './credentials.ts';
import { physicalName, type ReferenceContext } from './references.ts';
import { resourcesOfType } from './service.ts';

/** Makes every `AWS::ECS::Cluster` and `AWS::Logs::LogGroup` of the template that names itself. */
export const createTaskResources = async (
  url: string,
  context: ReferenceContext,
  credentials: LocalCredentials,
): Promise<void> => {
  const options = { endpoint: url, region: context.service.provider.region, credentials };
  const ecs = new ECSClient(options);
  const logs = new CloudWatchLogsClient(options);
  for (const [id, resource] of resourcesOfType(context.service, 'AWS::ECS::Cluster')) {
    const clusterName = physicalName(id, resource, context);
    await ecs.send(
      new CreateClusterCommand({
        clusterName,
        capacityProviders: ['FARGATE', 'FARGATE_SPOT'],
        // Whatever the template says: here they cost nothing, and `kubectl top` works.
        settings: [{ name: 'containerInsights', value: 'enabled' }],
      }),
    );
  }
  for (const [id, resource] of resourcesOfType(context.service, 'AWS::Logs::LogGroup')) {
    await logs.send(new CreateLogGroupCommand({ logGroupName: physicalName(id, resource, context) }));
  }
  ecs.destroy();
  logs.destroy();
};
