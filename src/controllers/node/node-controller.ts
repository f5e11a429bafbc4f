import type { Clock } from '../../core/clock.ts';
import { ConflictError, ignoreNotFound, PermanentError } from '../../core/errors.ts';
import type { Node, NodeStatus } from '../../model/kubernetes.ts';
import type { Kubernetes } from '../../ports/kubernetes.ts';
import type { Logger } from '../../ports/logger.ts';
import type { NodeRow, NodeStore } from '../../ports/node-store.ts';
import { announcedEndpoint } from '../gateway/announcement.ts';
import {
  toDesiredNode,
  toEndpointStatus,
  toKubeletVersion,
  toNewNode,
  toNodeStatus,
  withAddresses,
} from './desired-node.ts';
import { REACHABLE, toNodeConditions } from './node-conditions.ts';
import type { Deployment, NodeDefinition } from './node-definition.ts';
import { planNodeRepair } from './node-repair.ts';
import { isOurNode } from './ownership.ts';
import type { ReachabilityMonitor } from './reachability-monitor.ts';

const VERSION_VALID_MS = 3_600_000;
const REPAIR_TRIES = 3;

/** Keeps Node objects registered, as desired and up to date, and nothing on them that is not ours. */
export class NodeController {
  readonly #kubernetes: Pick<Kubernetes, 'nodes' | 'cluster'>;
  readonly #store: NodeStore;
  readonly #monitor: ReachabilityMonitor;
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #deployment: Deployment;
  #version: { readonly at: number; readonly text: string } | undefined;

  constructor(deps: {
    readonly kubernetes: Pick<Kubernetes, 'nodes' | 'cluster'>;
    readonly store: NodeStore;
    readonly monitor: ReachabilityMonitor;
    readonly clock: Clock;
    readonly logger: Logger;
    readonly deployment: Deployment;
  }) {
    this.#kubernetes = deps.kubernetes;
    this.#store = deps.store;
    this.#monitor = deps.monitor;
    this.#clock = deps.clock;
    this.#logger = deps.logger;
    this.#deployment = deps.deployment;
  }

  /** Registers or repairs the node, then writes its status. One GET and one PATCH where nothing has to be repaired. */
  async reconcile(definition: NodeDefinition, signal: AbortSignal): Promise<Node> {
    const row = await this.#store.get(definition.name);
    const { node, created } = await this.#register(definition, row, signal);
    return created ? node : this.#patchStatus(definition, node, row, signal);
  }

  /**
   * Creates the Node where there is none, complete from the first moment; else repairs what is ours on it.
   * @throws {PermanentError} where a Node of that name belongs to somebody else.
   */
  async ensureRegistered(definition: NodeDefinition, signal: AbortSignal): Promise<Node> {
    const { node } = await this.#register(definition, await this.#store.get(definition.name), signal);
    return node;
  }

  /** Patches the status fields that are ours. `node` is as last read: it tells which conditions change. */
  async updateStatus(definition: NodeDefinition, node: Node, signal: AbortSignal): Promise<Node> {
    return this.#patchStatus(definition, node, await this.#store.get(definition.name), signal);
  }

  async #register(
    definition: NodeDefinition,
    row: NodeRow | undefined,
    signal: AbortSignal,
  ): Promise<{ readonly node: Node; readonly created: boolean }> {
    for (let left = REPAIR_TRIES; ; left -= 1) {
      try {
        const node = await ignoreNotFound(this.#kubernetes.nodes.get(definition.name, signal));
        return node
          ? { node: await this.#repair(definition, node, row, signal), created: false }
          : { node: await this.#create(definition, row, signal), created: true };
      } catch (error) {
        // Somebody wrote between our read and our write.
        if (!(error instanceof ConflictError) || left <= 1) throw error;
      }
    }
  }

  async #patchStatus(
    definition: NodeDefinition,
    node: Node,
    row: NodeRow | undefined,
    signal: AbortSignal,
  ): Promise<Node> {
    const status = await this.#status(definition, node, row, signal);
    const patch = {
      ...withAddresses(status),
      // What is left out of a patch stays as it was.
      ...(!status.declaredFeatures && node.status?.declaredFeatures && { declaredFeatures: null }),
    };
    const patched = await ignoreNotFound(this.#kubernetes.nodes.patchStatus(definition.name, patch, signal));
    if (patched === undefined) return this.#create(definition, row, signal);
    return (await this.#correctEndpoint(definition, { before: node, patched }, signal)) ?? patched;
  }

  /** What was read before the patch may have been a minute old: a gateway that has come since must keep its address. */
  async #correctEndpoint(
    definition: NodeDefinition,
    { before, patched }: { readonly before: Node; readonly patched: Node },
    signal: AbortSignal,
  ): Promise<Node | undefined> {
    const now = this.#clock.now();
    const [known, current] = [announcedEndpoint(before, now), announcedEndpoint(patched, now)];
    if (current?.host === known?.host && current?.port === known?.port) return undefined;
    const patch = withAddresses(toEndpointStatus(definition.name, current ?? definition.endpoint));
    return ignoreNotFound(this.#kubernetes.nodes.patchStatus(definition.name, patch, signal));
  }

  async #create(definition: NodeDefinition, row: NodeRow | undefined, signal: AbortSignal): Promise<Node> {
    const desired = toDesiredNode(definition, this.#deployment);
    const status = await this.#status(definition, undefined, row, signal);
    const node = await this.#kubernetes.nodes.create(toNewNode(definition, desired, status), signal);
    this.#logger.info('node registered', { node: definition.name, uid: node.metadata?.uid });
    await this.#rememberCluster(definition, row, signal);
    return node;
  }

  async #repair(definition: NodeDefinition, node: Node, row: NodeRow | undefined, signal: AbortSignal): Promise<Node> {
    if (!isOurNode(node, this.#deployment))
      throw new PermanentError(
        `node ${definition.name} exists and is not of deployment ${this.#deployment.name}: ` +
          'choose another name (nodes[].name of the settings, --nodename of svk run), or remove that node and what keeps it',
      );
    if (row?.clusterId === undefined) await this.#rememberCluster(definition, row, signal);
    const outOfCapacity = (row?.outOfCapacityUntil ?? 0) > this.#clock.now();
    const repair = planNodeRepair(node, toDesiredNode(definition, this.#deployment), { outOfCapacity });
    if (!repair) return node;
    this.#logger.info('node repaired', { node: definition.name, outOfCapacity });
    return this.#kubernetes.nodes.patch(definition.name, repair, signal);
  }

  async #status(
    definition: NodeDefinition,
    before: Node | undefined,
    row: NodeRow | undefined,
    signal: AbortSignal,
  ): Promise<NodeStatus> {
    const wasReachable = before?.status?.conditions?.some(
      ({ type, status }) => type === REACHABLE && status === 'True',
    );
    const [kubeletVersion, reachability] = await Promise.all([
      this.#kubeletVersion(signal),
      this.#monitor.check(definition.name, { row, wasReachable: wasReachable ?? false }, signal),
    ]);
    const conditions = toNodeConditions(reachability, { before, now: this.#clock.now() });
    // A stream gateway that serves the node for now.
    const endpoint = announcedEndpoint(before, this.#clock.now()) ?? definition.endpoint;
    return toNodeStatus({ ...definition, endpoint }, this.#deployment, { kubeletVersion, conditions });
  }

  async #kubeletVersion(signal: AbortSignal): Promise<string> {
    const now = this.#clock.now();
    if (this.#version === undefined || now - this.#version.at >= VERSION_VALID_MS)
      this.#version = { at: now, text: await this.#kubernetes.cluster.version(signal) };
    return toKubeletVersion(this.#version.text, this.#deployment.version);
  }

  async #rememberCluster(definition: NodeDefinition, row: NodeRow | undefined, signal: AbortSignal): Promise<void> {
    const { metadata } = await this.#kubernetes.cluster.namespace('kube-system', signal);
    const clusterId = metadata?.uid;
    if (clusterId === undefined || clusterId === row?.clusterId) return;
    if (row?.clusterId !== undefined)
      this.#logger.warn('node registered in another cluster', {
        node: definition.name,
        before: row.clusterId,
        clusterId,
      });
    await this.#store.put(definition.name, { clusterId });
  }
}
