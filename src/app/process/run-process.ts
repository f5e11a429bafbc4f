import { allServices, podsOfNode } from '../../adapters/kubernetes/list-watch.ts';
import { SvkError } from '../../core/errors.ts';
import { Gate } from '../../kubelet/gate.ts';
import { createUpgradingKubeletApi } from '../../kubelet/kubelet-api.ts';
import type { UpgradeHandler } from '../../kubelet/upgrade.ts';
import type { Telemetry } from '../../ports/metrics.ts';
import type { CreatedProvider } from '../../ports/provider-factory.ts';
import { VERSION } from '../version.ts';
import type { OpenedCluster } from './cluster.ts';
import { runGateway } from './gateway/run-gateway.ts';
import { nodeDefinitionOf, ownAddress } from './node-definition.ts';
import { createNodeProcess, type NodeProcess } from './node-process.ts';
import { openNodeEndpoint } from './open-node-endpoint.ts';
import { openParts } from './open-parts.ts';
import type { RunMeans } from './run-means.ts';
import { runNode } from './run-node.ts';
import type { RunOptions } from './run-options.ts';
import { serveMetrics } from './serve-metrics.ts';
import type { Stores } from './stores.ts';

/** A process that did not become ready in time. */
export class StartupTimeoutError extends SvkError {
  override readonly name = 'StartupTimeoutError';
  readonly disposition = 'permanent';
}

/**
 * Runs one node, or with `only` the kubelet API of nodes that others keep, until `signal` aborts, then lets what is in
 * progress finish. `onReady` is called once the node is Ready and its pods are worked on, or the kubelet API answers.
 * @throws {StartupTimeoutError} where that takes too long. @throws {PermanentError} for what the operator must mend.
 */
export const runProcess = async (
  options: RunOptions,
  means: RunMeans,
  signal: AbortSignal,
  onReady: () => void = () => undefined,
): Promise<void> => {
  const late = new AbortController();
  const ready = new AbortController();
  const over = new AbortController();
  const { startupTimeoutMs } = options;
  if (startupTimeoutMs > 0)
    means.clock.sleep(startupTimeoutMs, ready.signal).then(
      () => late.abort(),
      () => undefined,
    );
  try {
    const start = options.only === 'kubelet-api' ? runGateway : runWholeNode;
    await start(options, means, AbortSignal.any([signal, late.signal, over.signal]), () => {
      ready.abort();
      onReady();
    });
  } catch (error) {
    // Whatever was cut short tells less than why it was.
    if (!late.signal.aborted && !signal.aborted) throw error;
  } finally {
    ready.abort();
    // A start that has failed leaves loops behind, which would keep the process alive.
    over.abort();
  }
  if (late.signal.aborted)
    throw new StartupTimeoutError(
      `not ready within the ${startupTimeoutMs / 1_000} s of --startup-timeout: see the log for what it waited for`,
    );
};

const runWholeNode = async (
  options: RunOptions,
  means: RunMeans,
  signal: AbortSignal,
  onReady: () => void,
): Promise<void> => {
  const { logger } = means;
  const nodeIp = options.nodeIp ?? ownAddress();
  const closing: (() => void | Promise<void>)[] = [];
  try {
    const { given, cluster, stores, created, authority } = await openParts(options, means, { signal, closing });
    const serving = { node: options.nodeName, address: nodeIp, deployment: created.deployment ?? options.deployment };
    const kubelet = await openNodeEndpoint(options, serving, { ...means, cluster, authority, given, signal });
    closing.push(() => kubelet.close());
    const node = createNode(options, means, { cluster, stores, created, host: nodeIp, port: kubelet.port });
    kubelet.answerBy(kubeletOf(node, options, { cluster, telemetry: means.telemetry }));

    let isReady = false;
    const served = await serveMetrics(options, means, () => isReady);
    if (served) closing.push(() => served.close());
    await runNode(node, signal, () => {
      isReady = true;
      logger.info('ready', { node: options.nodeName, kubeletPort: kubelet.port });
      onReady();
    });
    isReady = false;
  } finally {
    for (const close of closing.reverse()) await close();
    await means.telemetry.close();
  }
};

interface NodeMeans {
  readonly cluster: OpenedCluster;
  readonly stores: Pick<Stores, 'podStore' | 'nodeStore'>;
  readonly created: CreatedProvider;
  readonly host: string | undefined;
  readonly port: number;
}

const createNode = (
  options: RunOptions,
  { clock, random, logger, telemetry }: RunMeans,
  { cluster, stores, created, host, port }: NodeMeans,
): NodeProcess =>
  createNodeProcess({
    definition: nodeDefinitionOf(options, created, { host, port }),
    deployment: {
      name: created.deployment ?? options.deployment,
      provider: created.provider.name,
      version: VERSION,
    },
    kubernetes: cluster.kubernetes,
    pods: podsOfNode(cluster.client, options.nodeName, random),
    services: allServices(cluster.client, random),
    provider: created.provider,
    podStore: stores.podStore,
    nodeStore: stores.nodeStore,
    clock,
    random,
    logger,
    metrics: telemetry.metrics,
    tracer: telemetry.tracer,
    workers: options.podSyncWorkers,
    resyncMs: options.fullResyncMs,
    drainMs: options.shutdownMs,
    deleteNode: options.deleteNode,
  });

/** How often the keeper writes the status of a node. */
const STATUS_UPDATE_MS = 60_000;

const kubeletOf = (
  node: NodeProcess,
  options: RunOptions,
  { cluster, telemetry }: { readonly cluster: OpenedCluster; readonly telemetry: Telemetry },
): UpgradeHandler => {
  const { clock, logger } = node.parts;
  const { insecureAllowAnonymous } = options;
  if (insecureAllowAnonymous)
    logger.warn('the kubelet API answers whoever reaches it: --insecure-allow-anonymous is for tests', {});
  const { definition } = node.parts;
  return createUpgradingKubeletApi({
    node: options.nodeName,
    gate: new Gate({ access: cluster.kubernetes.access, clock, logger, insecureAllowAnonymous }),
    pods: node.pods,
    podStore: node.podStore,
    provider: node.provider,
    clock,
    logger,
    healthChecks: node.healthChecks,
    ...(telemetry.expose && { processMetrics: telemetry.expose }),
    configuration: {
      anonymous: insecureAllowAnonymous,
      statusUpdateMs: STATUS_UPDATE_MS,
      clusterDomain: options.clusterDomain,
      streamIdleTimeoutMs: options.streams.idleTimeoutMs,
      maxPods: Number(definition.capacity['pods'] ?? 0),
      ...(definition.providerID !== undefined && { providerID: definition.providerID }),
      ...(definition.endpoint && { address: definition.endpoint.host, port: definition.endpoint.port }),
    },
  });
};
