import { createAwsApis } from '../providers/fargate/aws/clients.ts';
import { FargateProvider } from '../providers/fargate/fargate-provider.ts';
import type { ClusterSession } from './cluster-session.ts';
import type { Foundation } from './foundation.ts';

/** The Fargate provider of this deployment, for pods of this cluster. */
export const createFargate = (foundation: Foundation, session: ClusterSession): FargateProvider => {
  const { environment, clock, random, logger } = foundation;
  return new FargateProvider({
    ...createAwsApis({ region: environment.region }),
    deployment: environment.settings.deployment,
    clusterArn: environment.ecsCluster,
    logGroup: environment.logGroup,
    executionRoleArn: environment.executionRoleArn,
    ...(environment.taskRoleArn !== undefined && { taskRoleArn: environment.taskRoleArn }),
    settings: environment.settings.providerSettings,
    resources: session.resources,
    clock,
    random,
    logger,
    clusterHash: () => session.clusterHash,
  });
};
