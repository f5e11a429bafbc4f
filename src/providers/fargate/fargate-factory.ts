import * as z from 'zod/mini';
import { faultsOf, faultsText } from '../../config/faults.ts';
import { readSettings, type Settings } from '../../config/settings.ts';
import { PermanentError } from '../../core/errors.ts';
import type { Problem } from '../../model/problem.ts';
import type { CreatedProvider, ProviderDeps, ProviderFactory, Variables } from '../../ports/provider-factory.ts';
import { type FargateSettings, fargateSettings } from './settings.ts';

const text = z.string().check(z.minLength(1));
const arn = z.string().check(z.regex(/^arn:[\w-]+:\w+:/, 'must be an ARN'));

/** The same variables as the functions of a deployment have. */
const variables = z.object({
  AWS_REGION: text,
  SVK_ECS_CLUSTER: arn,
  SVK_LOG_GROUP: text,
  SVK_EXECUTION_ROLE_ARN: arn,
  SVK_TASK_ROLE_ARN: z.optional(arn),
});

/**
 * `--provider fargate`: the settings file of a deployment is its configuration; what the deployment made comes from the
 * environment, as in its functions. A node that is named must be one of the settings' nodes.
 */
export const fargateFactory: ProviderFactory = {
  name: 'fargate',
  create: async (config: unknown, deps: ProviderDeps): Promise<CreatedProvider> => {
    const read = readSettings(config ?? {}, { fargate: fargateSettings });
    const environment = readVariables(deps.environment);
    const faults = [...(read.ok ? strangerIn(read.settings, deps.node) : read.faults), ...environment.faults];
    if (!read.ok || !environment.ok || faults.length > 0)
      throw new PermanentError(faultsText('the configuration of provider fargate', faults));
    return create(read.settings, environment.data, deps);
  },
};

type FargateVariables = z.infer<typeof variables>;

const create = async (
  settings: Settings<FargateSettings>,
  environment: FargateVariables,
  { node: name, clock, random, logger, resources, clusterHash }: ProviderDeps,
): Promise<CreatedProvider> => {
  // The AWS SDK is loaded by those who need it only.
  const [{ createAwsApis }, { FargateProvider }] = await Promise.all([
    import('./aws/clients.ts'),
    import('./fargate-provider.ts'),
  ]);
  const { SVK_TASK_ROLE_ARN: taskRoleArn } = environment;
  const provider = new FargateProvider({
    ...createAwsApis({ region: environment.AWS_REGION }),
    deployment: settings.deployment,
    clusterArn: environment.SVK_ECS_CLUSTER,
    logGroup: environment.SVK_LOG_GROUP,
    executionRoleArn: environment.SVK_EXECUTION_ROLE_ARN,
    ...(taskRoleArn !== undefined && { taskRoleArn }),
    settings: settings.providerSettings,
    resources,
    clock,
    random,
    logger,
    clusterHash,
  });
  const node = settings.nodes.find((one) => one.name === name);
  return {
    provider,
    deployment: settings.deployment,
    nodes: settings.nodes.map((one) => one.name),
    ...(node && {
      node: {
        capacity: node.capacity,
        architecture: node.architecture,
        labels: node.labels,
        ...(node.taints && { taints: node.taints }),
      },
    }),
  };
};

const strangerIn = ({ nodes }: Settings<FargateSettings>, name: string): readonly Problem[] =>
  name === '' || nodes.some((node) => node.name === name)
    ? []
    : [
        {
          field: 'nodes',
          message: `has no node ${name}: name one of ${nodes.map((node) => node.name).join(', ')} by --nodename`,
        },
      ];

const readVariables = (
  given: Variables,
):
  | { readonly ok: true; readonly data: FargateVariables; readonly faults: readonly Problem[] }
  | { readonly ok: false; readonly faults: readonly Problem[] } => {
  const set = Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined && value !== ''));
  const parsed = variables.safeParse(set);
  if (parsed.success) return { ok: true, data: parsed.data, faults: [] };
  const faults = faultsOf(parsed.error.issues).map(({ field, message }) => ({
    field: `environment: ${field}`,
    message: field in set ? message : 'is not set',
  }));
  return { ok: false, faults };
};
