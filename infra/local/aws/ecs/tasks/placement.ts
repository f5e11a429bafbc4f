import { AwsError, invalidParameter } from '../../service-error.ts';
import type { CapacityStrategy, Cluster } from '../cluster-store.ts';
import type { EcsContext } from '../context.ts';
import type { RunTaskRequest } from './run-task-request.ts';

/** Where a task goes. */
export interface Placement {
  readonly subnets: readonly string[];
  readonly spot: boolean;
  /** Set where a strategy, not a launch type, chose. */
  readonly capacityProvider?: string;
  readonly platformVersion: string;
}

/** @throws {AwsError} where launch type, strategy, network or platform do not go together. */
export const placementOf = (request: RunTaskRequest, cluster: Cluster): Placement => {
  const provider = providerOf(request, cluster);
  const { platformVersion = 'LATEST' } = request;
  if (!['LATEST', '1.4.0', '1.3.0'].includes(platformVersion)) {
    throw new AwsError('PlatformUnknownException', `The platform version '${platformVersion}' does not exist.`);
  }
  return {
    subnets: subnetsOf(request),
    spot: provider === 'FARGATE_SPOT',
    ...(request.launchType === undefined && { capacityProvider: provider }),
    platformVersion: platformVersion === 'LATEST' ? '1.4.0' : platformVersion,
  };
};

const providerOf = (request: RunTaskRequest, cluster: Cluster): string => {
  const { launchType, capacityProviderStrategy } = request;
  if (launchType !== undefined && capacityProviderStrategy?.length) {
    throw invalidParameter(
      'Specifying both a launch type and capacity provider strategy is not supported. Remove one and try again.',
    );
  }
  if (launchType === 'FARGATE') return 'FARGATE';
  const strategy = capacityProviderStrategy?.length ? capacityProviderStrategy : cluster.defaultStrategy;
  if (launchType !== undefined || strategy.length === 0) {
    throw invalidParameter('No Container Instances were found in your cluster.');
  }
  return chosen(strategy, cluster);
};

/** The heaviest provider wins: enough for one task at a time, where AWS spreads many by weight. */
const chosen = (strategy: CapacityStrategy, cluster: Cluster): string => {
  if (strategy.some(({ capacityProvider = '' }) => !cluster.capacityProviders.includes(capacityProvider))) {
    throw invalidParameter(
      'The specified capacity provider strategy cannot contain a capacity provider that is not associated with the cluster. Associate the capacity provider with the cluster and try again.',
    );
  }
  const [heaviest] = strategy.toSorted((a, b) => (b.base ?? 0) - (a.base ?? 0) || (b.weight ?? 0) - (a.weight ?? 0));
  if (!heaviest?.weight && !heaviest?.base) {
    throw invalidParameter('The capacity provider strategy must have a weight greater than zero.');
  }
  return heaviest.capacityProvider ?? '';
};

const subnetsOf = ({ networkConfiguration }: RunTaskRequest): readonly string[] => {
  const vpc = networkConfiguration?.awsvpcConfiguration;
  if (!vpc) throw invalidParameter("Network Configuration must be provided when networkMode 'awsvpc' is specified.");
  const { subnets = [], securityGroups = [], assignPublicIp = 'DISABLED' } = vpc;
  if (subnets.length === 0) throw invalidParameter('subnets can not be empty.');
  if (subnets.length > 16) throw invalidParameter('subnets can have at most 16 items.');
  if (securityGroups.length > 5) throw invalidParameter('securityGroups can have at most 5 items.');
  if (!['ENABLED', 'DISABLED'].includes(assignPublicIp))
    throw invalidParameter(`Invalid assignPublicIp '${assignPublicIp}'.`);
  for (const id of subnets) {
    if (!/^subnet-[\w-]+$/.test(id)) {
      throw invalidParameter(
        `Error retrieving subnet information for [${id}]: The subnet ID '${id}' does not exist (ErrorCode: InvalidSubnetID.NotFound)`,
      );
    }
  }
  for (const id of securityGroups) {
    if (!/^sg-[\w-]+$/.test(id)) {
      throw invalidParameter(
        `Error retrieving security group information for [${id}]: The security group '${id}' does not exist (ErrorCode: InvalidGroup.NotFound)`,
      );
    }
  }
  return subnets;
};

/** The `reason` of `failures[]` where no task can be placed now. */
export const refusalOf = (context: EcsContext, placement: Placement, cpu: string): string | undefined => {
  const provider = placement.spot ? 'FARGATE_SPOT' : 'FARGATE';
  if (context.faults.take('capacity', ({ capacityProvider }) => (capacityProvider ?? provider) === provider)) {
    return 'Capacity is unavailable at this time. Please try again later or in a different availability zone';
  }
  const quota = placement.spot ? context.quotas.spotVcpu : context.quotas.onDemandVcpu;
  const exceeds = (): boolean =>
    quota !== Number.POSITIVE_INFINITY && usedVcpu(context, placement.spot) + Number(cpu) / 1024 > quota;
  if (context.faults.take('vcpu-quota') || exceeds()) {
    return "You've reached the limit on the number of vCPUs you can run concurrently";
  }
  return undefined;
};

const usedVcpu = (context: EcsContext, spot: boolean): number =>
  context.tasks
    .all()
    .filter((task) => task.lastStatus !== 'STOPPED' && (task.capacityProvider === 'FARGATE_SPOT') === spot)
    .reduce((sum, task) => sum + Number(task.cpu) / 1024, 0);
