import { hasLogGroup } from '../../adapters/cloudwatch/log-groups.ts';
import { Network } from '../../adapters/ec2/network.ts';
import { ClusterTasks } from '../../adapters/ecs/cluster-tasks.ts';
import { readRoleTrust } from '../../adapters/iam/role-trust.ts';
import { DeployedFunctions } from '../../adapters/lambda/deployed-functions.ts';
import { readVcpuQuotas } from '../../adapters/service-quotas/fargate-quotas.ts';
import type { CommandContext } from '../commands/command-context.ts';
import { openParameters } from '../credentials/open-parameters.ts';
import type { AccountReads } from './account-reads.ts';

/** The AWS account with the operator's own credentials, read only. `now`: milliseconds since the epoch. */
export const openAccount = (
  region: string,
  context: CommandContext,
  now: () => number,
): AccountReads & { close(): void } => {
  const at = (service: string): { readonly region: string; readonly endpoint?: string } => {
    const endpoint = context.environment[`AWS_ENDPOINT_URL_${service}`] ?? context.environment['AWS_ENDPOINT_URL'];
    return { region, ...(endpoint !== undefined && { endpoint }) };
  };
  const functions = new DeployedFunctions({ ...at('LAMBDA'), now });
  const { parameters } = openParameters(region, context);
  return {
    parameter: (name, signal) => parameters.find(name, signal),
    functionEnvironment: (name, signal) => functions.environment(name, signal),
    concurrency: (names, signal) => functions.concurrency(names, signal),
    aheadMs: () => functions.aheadMs(),
    vcpuQuotas: (signal) => readVcpuQuotas(at('SERVICE_QUOTAS'), signal),
    network: (ids, signal) => Network.at(at('EC2')).facts(ids, signal),
    ecsCluster: (arn, signal) => ClusterTasks.at(arn, at('ECS')).status(signal),
    hasLogGroup: (name, signal) => hasLogGroup(name, at('CLOUDWATCH_LOGS'), signal),
    roleTrust: (arn, signal) => readRoleTrust(arn, at('IAM'), signal),
    close: () => functions.close(),
  };
};
