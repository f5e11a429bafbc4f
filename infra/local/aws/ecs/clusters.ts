import * as z from 'zod/mini';
import { parseInput } from '../parse-input.ts';
import { AwsError, invalidParameter } from '../service-error.ts';
import { type CapacityStrategy, type Cluster, configurationSchema, strategySchema } from './cluster-store.ts';
import type { EcsContext } from './context.ts';
import { tagsSchema, toTags } from './tags.ts';

/** @throws {AwsError} ClusterNotFoundException. */
export const knownCluster = (context: EcsContext, nameOrArn: string | undefined): Cluster => {
  const cluster = context.clusters.find(nameOrArn);
  if (!cluster) throw new AwsError('ClusterNotFoundException', 'Cluster not found.');
  return cluster;
};

const createSchema = z.object({
  clusterName: z.optional(z.string()),
  capacityProviders: z.optional(z.array(z.string())),
  defaultCapacityProviderStrategy: strategySchema,
  settings: z.optional(z.array(z.unknown())),
  configuration: configurationSchema,
  tags: z.optional(tagsSchema),
});

/** CreateCluster: creating one that is there answers with it. */
export const createCluster = (context: EcsContext, input: unknown): unknown => {
  const request = parseInput(createSchema, input);
  const name = request.clusterName ?? 'default';
  if (!/^[A-Za-z0-9_-]{1,255}$/.test(name)) throw invalidParameter(`Invalid cluster name '${name}'.`);
  const providers = request.capacityProviders ?? [];
  checkProviders(providers, request.defaultCapacityProviderStrategy ?? []);
  return changed(
    context,
    context.clusters.find(name) ?? {
      arn: context.arns.cluster(name),
      name,
      capacityProviders: providers,
      defaultStrategy: request.defaultCapacityProviderStrategy ?? [],
      settings: request.settings ?? [],
      configuration: request.configuration ?? {},
      insights: hasInsights(request.settings ?? []),
      tags: toTags(request.tags),
    },
  );
};

const settingSchema = z.object({ name: z.literal('containerInsights'), value: z.enum(['enabled', 'enhanced']) });

const hasInsights = (settings: readonly unknown[]): boolean =>
  settings.some((setting) => z.safeParse(settingSchema, setting).success);

const settingsSchema = z.object({ cluster: z.optional(z.string()), settings: z.optional(z.array(z.unknown())) });

/** UpdateClusterSettings: Container Insights on or off. */
export const updateClusterSettings = (context: EcsContext, input: unknown): unknown => {
  const { cluster: name, settings = [] } = parseInput(settingsSchema, input);
  return changed(context, { ...knownCluster(context, name), settings, insights: hasInsights(settings) });
};

const changed = (context: EcsContext, cluster: Cluster): unknown => {
  context.clusters.put(cluster);
  if (cluster.insights) context.insights.start();
  return { cluster: clusterShape(context, cluster, ALL) };
};

const updateSchema = z.object({
  cluster: z.optional(z.string()),
  settings: z.optional(z.array(z.unknown())),
  configuration: configurationSchema,
});

/** UpdateCluster: settings, and the configuration of ExecuteCommand; what is left out stays. */
export const updateCluster = (context: EcsContext, input: unknown): unknown => {
  const { cluster: name, configuration, ...rest } = parseInput(updateSchema, input);
  const before = knownCluster(context, name);
  const settings = rest.settings ?? before.settings;
  return changed(context, {
    ...before,
    settings,
    insights: hasInsights(settings),
    configuration: configuration ?? before.configuration,
  });
};

const putSchema = z.object({
  cluster: z.optional(z.string()),
  capacityProviders: z.optional(z.array(z.string())),
  defaultCapacityProviderStrategy: strategySchema,
});

/** PutClusterCapacityProviders: replaces both lists. */
export const putClusterCapacityProviders = (context: EcsContext, input: unknown): unknown => {
  const request = parseInput(putSchema, input);
  const providers = request.capacityProviders ?? [];
  const strategy = request.defaultCapacityProviderStrategy ?? [];
  checkProviders(providers, strategy);
  return changed(context, {
    ...knownCluster(context, request.cluster),
    capacityProviders: providers,
    defaultStrategy: strategy,
  });
};

const checkProviders = (providers: readonly string[], strategy: CapacityStrategy): void => {
  for (const provider of providers) {
    if (provider !== 'FARGATE' && provider !== 'FARGATE_SPOT') {
      throw invalidParameter(`The specified capacity provider '${provider}' was not found.`);
    }
  }
  if (strategy.some(({ capacityProvider = '' }) => !providers.includes(capacityProvider))) {
    throw invalidParameter(
      'The specified capacity provider strategy cannot contain a capacity provider that is not associated with the cluster. Associate the capacity provider with the cluster and try again.',
    );
  }
};

const namedSchema = z.object({ cluster: z.optional(z.string()) });

/** DeleteCluster: refused while tasks are active. */
export const deleteCluster = (context: EcsContext, input: unknown): unknown => {
  const cluster = knownCluster(context, parseInput(namedSchema, input).cluster);
  if (liveTasks(context, cluster).length > 0) {
    throw new AwsError('ClusterContainsTasksException', 'The Cluster cannot be deleted while Tasks are active.');
  }
  context.clusters.remove(cluster.name);
  return { cluster: { ...clusterShape(context, cluster, ALL), status: 'INACTIVE' } };
};

const describeSchema = z.object({
  clusters: z.optional(z.array(z.string())),
  include: z.optional(z.array(z.string())),
});

/** DescribeClusters: unknown ones are failures. */
export const describeClusters = (context: EcsContext, input: unknown): unknown => {
  const { clusters: names = ['default'], include = [] } = parseInput(describeSchema, input);
  if (names.length > 100) throw invalidParameter('At most 100 clusters can be described at once.');
  const found = names.map((name) => ({ name, cluster: context.clusters.find(name) }));
  return {
    clusters: found.flatMap(({ cluster }) => (cluster ? [clusterShape(context, cluster, include)] : [])),
    failures: found.flatMap(({ name, cluster }) =>
      cluster ? [] : [{ arn: name.startsWith('arn:') ? name : context.arns.cluster(name), reason: 'MISSING' }],
    ),
  };
};

/** ListClusters. */
export const listClusters = (context: EcsContext): unknown => ({
  clusterArns: context.clusters.all().map(({ arn }) => arn),
});

const liveTasks = (context: EcsContext, cluster: Cluster): readonly string[] =>
  context.tasks
    .all()
    .filter(({ clusterArn, lastStatus }) => clusterArn === cluster.arn && lastStatus !== 'STOPPED')
    .map(({ lastStatus }) => lastStatus);

/** Members that DescribeClusters shows only where `include` names them. */
const ALL = ['TAGS', 'CONFIGURATIONS'];

const clusterShape = (context: EcsContext, cluster: Cluster, include: readonly string[]): Record<string, unknown> => {
  const statuses = liveTasks(context, cluster);
  return {
    clusterArn: cluster.arn,
    clusterName: cluster.name,
    status: 'ACTIVE',
    registeredContainerInstancesCount: 0,
    runningTasksCount: statuses.filter((status) => status === 'RUNNING').length,
    pendingTasksCount: statuses.filter((status) => ['PROVISIONING', 'PENDING', 'ACTIVATING'].includes(status)).length,
    activeServicesCount: 0,
    statistics: [],
    tags: include.includes('TAGS') ? cluster.tags : [],
    ...(include.includes('CONFIGURATIONS') && { configuration: cluster.configuration }),
    settings: cluster.settings,
    capacityProviders: cluster.capacityProviders,
    defaultCapacityProviderStrategy: cluster.defaultStrategy,
  };
};
