import { ClusterTasks } from '../../adapters/ecs/cluster-tasks.ts';
import { SystemClock } from '../../adapters/system/system-clock.ts';
import { PermanentError } from '../../core/errors.ts';
import { openOperatorClient } from '../cluster/open-operator-client.ts';
import { type CommandContext, regionOf } from '../commands/command-context.ts';
import { nameOf } from '../manifests/manifest.ts';
import { askStackFacts, namesOf } from '../manifests/stack-facts.ts';
import { cordon, type DrainTools, drain, livePods, podNames } from './drain.ts';
import { takeAwayNode, takeAwayRights } from './take-away.ts';

export interface RemoveOptions {
  readonly deployment: string;
  readonly region?: string;
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly nodes?: string;
  readonly force: boolean;
  /** Seconds. */
  readonly timeout: string;
}

/**
 * `svk remove`: takes a deployment out of its cluster, before `serverless remove` takes it out of the account. No pod is
 * deleted without `--force`; tasks that are left over are stopped; nodes of others stay.
 * @throws {PermanentError} where pods run and nobody said `--force`, or where they do not end.
 */
export const removeDeployment = async (options: RemoveOptions, context: CommandContext): Promise<void> => {
  const { deployment } = options;
  const timeoutMs = Number(options.timeout) * 1_000;
  if (!(timeoutMs > 0)) throw new PermanentError(`--timeout is "${options.timeout}": give a number of seconds`);
  const region = regionOf(options.region, context);
  const nodes = options.nodes === undefined ? (await askStackFacts(options, context)).nodes : namesOf(options.nodes);
  const client = await openOperatorClient(options, context);
  const tools = { client, clock: new SystemClock(), signal: AbortSignal.timeout(timeoutMs + 60_000) };
  try {
    await endPods(nodes, { ...options, timeoutMs }, tools, context);
    await endTasks(deployment, region, tools.signal, context);
    await takeAwayRights(client, deployment, tools.signal);
    context.print('took away the webhook and the rights of the functions');
    for (const node of nodes) {
      const result = await takeAwayNode(client, { node, deployment }, tools.signal);
      context.print(MESSAGES[result](node));
    }
  } finally {
    client.close();
  }
  context.print(`next: npx serverless remove --stage ${deployment}, and svk manifests … | kubectl delete -f -`);
};

const MESSAGES = {
  removed: (node: string) => `removed node ${node} and its lease`,
  absent: (node: string) => `node ${node} was not there`,
  foreign: (node: string) => `node ${node} belongs to another deployment: it stays`,
} as const;

const endPods = async (
  nodes: readonly string[],
  { force, timeoutMs }: { readonly force: boolean; readonly timeoutMs: number },
  tools: DrainTools,
  { print }: CommandContext,
): Promise<void> => {
  for (const node of nodes) await cordon(node, tools);
  const pods = (await Promise.all(nodes.map((node) => livePods(node, tools)))).flat();
  if (pods.length === 0) return;
  if (!force)
    throw new PermanentError(
      `${pods.length} pods still run: ${podNames(pods)}; the nodes are cordoned, nothing else was done. Move them, or give --force to delete them`,
    );
  await drain(nodes, timeoutMs, tools);
  print(`deleted ${pods.length} pods`);
};

const endTasks = async (
  deployment: string,
  region: string,
  signal: AbortSignal,
  { environment, print }: CommandContext,
): Promise<void> => {
  const endpoint = environment['AWS_ENDPOINT_URL_ECS'];
  const tasks = ClusterTasks.at(nameOf(deployment), { region, ...(endpoint !== undefined && { endpoint }) });
  const left = await tasks.running(signal);
  for (const task of left) await tasks.stop(task, `svk ${deployment} is being removed`, signal);
  if (left.length > 0) print(`stopped ${left.length} tasks that no pod needed any more`);
};
