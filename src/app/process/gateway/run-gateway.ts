import { GatewayNode } from '../../../controllers/gateway/gateway-node.ts';
import { PermanentError } from '../../../core/errors.ts';
import { Gate } from '../../../kubelet/gate.ts';
import { createUpgradingKubeletApi } from '../../../kubelet/kubelet-api.ts';
import type { PodStore } from '../../../ports/pod-store.ts';
import type { CreatedProvider } from '../../../ports/provider-factory.ts';
import { ownAddress } from '../node-definition.ts';
import { type NodeEndpointMeans, openNodeEndpoint } from '../open-node-endpoint.ts';
import { openParts } from '../open-parts.ts';
import type { RunMeans } from '../run-means.ts';
import type { RunOptions } from '../run-options.ts';
import { serveMetrics } from '../serve-metrics.ts';
import { podsOfApi } from './pods-of-api.ts';

/** The heartbeat's schedule. */
const STATUS_UPDATE_MS = 60_000;
const WITHDRAW_MS = 5_000;

/**
 * `svk run --only kubelet-api`: serves the kubelet API, streams included, of nodes whose controllers run elsewhere, each at
 * a port of its own, and announces that on the nodes. Reads and never writes pods. When `signal` aborts it takes the
 * announcements back and ends its sessions.
 * @throws {PermanentError} for what the operator must mend.
 */
export const runGateway = async (
  options: RunOptions,
  means: RunMeans,
  signal: AbortSignal,
  onReady: () => void,
): Promise<void> => {
  const { logger } = means;
  const host = addressOf(options);
  const closing: (() => void | Promise<void>)[] = [];
  const serving: ServedNode[] = [];
  try {
    const { stores, ...opened } = await openParts(options, means, { signal, closing });
    const { cluster, created } = opened;
    const podStore = options.state.kind === 'memory' ? podsOfApi(cluster.kubernetes.pods) : stores.podStore;
    const parts = { ...means, ...opened, signal, podStore, host };
    const gate = gateOf(options, parts);
    for (const [index, node] of nodesOf(options, created).entries())
      serving.push(await serveNode({ node, index, gate }, options, parts));
    let isReady = true;
    const metrics = await serveMetrics(options, means, () => isReady);
    if (metrics) closing.push(() => metrics.close());
    logger.info('ready', { nodes: serving.length });
    onReady();
    await Promise.all(serving.map(({ announced }) => announced));
    isReady = false;
  } finally {
    // Together: each may have sessions to end.
    await Promise.all(serving.map((served) => served.close()));
    for (const close of closing.reverse()) await close();
    await means.telemetry.close();
  }
};

interface GatewayParts extends NodeEndpointMeans {
  readonly created: CreatedProvider;
  readonly podStore: Pick<PodStore, 'get' | 'knownPods'>;
  readonly host: string;
}

interface ServedNode {
  /** Resolves once the signal has aborted. */
  readonly announced: Promise<void>;
  close(): Promise<void>;
}

const addressOf = ({ nodeIp }: RunOptions): string => {
  const address = nodeIp ?? ownAddress();
  if (address !== undefined) return address;
  throw new PermanentError(
    'this machine has no address that an API server could reach: name one by --node-ip or VKUBELET_POD_IP',
  );
};

const nodesOf = ({ nodeName }: RunOptions, { nodes = [] }: CreatedProvider): readonly string[] => {
  const names = nodeName === '' ? nodes : [nodeName];
  if (names.length > 0) return names;
  throw new PermanentError('the configuration of the provider describes no nodes: name one by --nodename');
};

const gateOf = ({ insecureAllowAnonymous }: RunOptions, { cluster, clock, logger }: GatewayParts): Gate => {
  if (insecureAllowAnonymous)
    logger.warn('the kubelet API answers whoever reaches it: --insecure-allow-anonymous is for tests', {});
  return new Gate({ access: cluster.kubernetes.access, clock, logger, insecureAllowAnonymous });
};

/** One node at its port, and its announcement until the signal aborts. */
const serveNode = async (
  { node, index, gate }: { readonly node: string; readonly index: number; readonly gate: Gate },
  options: RunOptions,
  parts: GatewayParts,
): Promise<ServedNode> => {
  const { cluster, created, clock, random, logger, signal, podStore, host, telemetry } = parts;
  const { listen, streams, clusterDomain, insecureAllowAnonymous } = options;
  const deployment = created.deployment ?? options.deployment;
  const at = { ...listen, port: listen.port === 0 ? 0 : listen.port + index };
  const endpoint = await openNodeEndpoint({ ...options, listen: at }, { node, address: host, deployment }, parts);
  const { port } = endpoint;
  const { pods, nodes } = cluster.kubernetes;
  endpoint.answerBy(
    createUpgradingKubeletApi({
      node,
      gate,
      pods,
      podStore,
      provider: created.provider,
      clock,
      logger,
      ...(telemetry.expose && { processMetrics: telemetry.expose }),
      configuration: {
        address: host,
        port,
        anonymous: insecureAllowAnonymous,
        statusUpdateMs: STATUS_UPDATE_MS,
        clusterDomain,
        streamIdleTimeoutMs: streams.idleTimeoutMs,
      },
    }),
  );
  const gatewayNode = new GatewayNode({
    node,
    deployment: { name: deployment },
    endpoint: { host, port, webSockets: options.extendWebSockets },
    holder: random.uuid(),
    isServing: () => endpoint.isServing(),
    nodes,
    clock,
    logger,
  });
  logger.info('node served', { node, host, port });
  return {
    announced: gatewayNode.run(signal),
    close: async () => {
      try {
        await gatewayNode.withdraw(AbortSignal.timeout(WITHDRAW_MS));
      } catch (error) {
        logger.warn('announcement not withdrawn: it ends by itself within a minute', { node, error });
      }
      await endpoint.close();
    },
  };
};
