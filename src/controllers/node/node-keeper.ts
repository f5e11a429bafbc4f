import { type BackOffCurve, delaySecondsAfter } from '../../core/backoff.ts';
import type { Clock } from '../../core/clock.ts';
import { withDeadline } from '../../core/deadline.ts';
import { ignoreNotFound, PermanentError } from '../../core/errors.ts';
import type { Node } from '../../model/kubernetes.ts';
import type { NodesApi } from '../../ports/kubernetes.ts';
import type { Logger } from '../../ports/logger.ts';
import type { NodeStore } from '../../ports/node-store.ts';
import { toDesiredNode } from './desired-node.ts';
import type { LeaseController } from './lease-controller.ts';
import type { NodeController } from './node-controller.ts';
import type { Deployment, NodeDefinition } from './node-definition.ts';
import { planNodeRepair } from './node-repair.ts';

/** kubelet's: the lease every ten seconds, the status every minute. */
const LEASE_MS = 10_000;
const STATUS_MS = 60_000;
/** A status that could not be written is tried again before its minute is over. */
const STATUS_RETRY_MS = 10_000;
const STATUS_DEADLINE_MS = 30_000;
const REGISTER_BACK_OFF: BackOffCurve = { initialSeconds: 0.2, maxSeconds: 7 };

export interface NodeKeeperOptions {
  readonly definition: NodeDefinition;
  readonly deployment: Deployment;
  readonly controller: NodeController;
  readonly leases: LeaseController;
  readonly nodes: Pick<NodesApi, 'delete'>;
  readonly store: NodeStore;
  readonly clock: Clock;
  readonly logger: Logger;
  /** Told of every renewal, with its time. */
  readonly onRenewed?: (at: number) => void;
}

/**
 * Keeps one node alive from a process that stays. Six renewals and one status patch a minute: what the patch answers
 * tells whether anything of ours has to be repaired, so that nothing is read for that.
 */
export class NodeKeeper {
  readonly #options: NodeKeeperOptions;
  #node: Node | undefined;

  constructor(options: NodeKeeperOptions) {
    this.#options = options;
  }

  /**
   * Registers or repairs the node and makes its lease; goes on trying while the API server does not answer.
   * @throws {PermanentError} where the node is somebody else's or we may not write it.
   */
  async register(signal: AbortSignal): Promise<void> {
    const { definition, controller, leases, clock, logger } = this.#options;
    for (let failures = 1; ; failures += 1) {
      try {
        this.#node = await controller.reconcile(definition, signal);
        await leases.ensureOwner(definition, this.#node, signal);
        this.#options.onRenewed?.(clock.now());
        return;
      } catch (error) {
        if (signal.aborted || error instanceof PermanentError) throw error;
        logger.warn('node not registered; it is tried again', { node: definition.name, error, failures });
        await clock.sleep(delaySecondsAfter(REGISTER_BACK_OFF, failures) * 1_000, signal);
      }
    }
  }

  /** Renews and writes status until `signal` aborts. Never rejects: the next round is the retry. */
  async run(signal: AbortSignal): Promise<void> {
    await Promise.all([this.#renewAlways(signal), this.#writeStatusAlways(signal)]);
  }

  /** Removes the node, and with it (as its owner) the lease; not one of the same name that is not ours. */
  async delete(signal: AbortSignal): Promise<void> {
    const { definition, nodes, logger } = this.#options;
    const { name } = definition;
    const uid = this.#node?.metadata?.uid;
    if (uid === undefined) return;
    await ignoreNotFound(nodes.delete({ name, uid }, signal));
    logger.info('node deleted', { node: name });
  }

  async #renewAlways(signal: AbortSignal): Promise<void> {
    const { definition, leases, clock } = this.#options;
    while (await this.#pause(LEASE_MS, signal)) {
      const failures = await leases.renewDue([definition], 'beat', signal);
      if (failures.length === 0) this.#options.onRenewed?.(clock.now());
    }
  }

  async #writeStatusAlways(signal: AbortSignal): Promise<void> {
    const { definition, clock, logger } = this.#options;
    let wait = STATUS_MS;
    while (await this.#pause(wait, signal)) {
      wait = STATUS_MS;
      try {
        const limit = { ms: STATUS_DEADLINE_MS, what: `status of node ${definition.name}`, signal };
        await withDeadline(clock, limit, (limited) => this.#writeStatus(limited));
      } catch (error) {
        if (!signal.aborted) logger.warn('node status not written; it is tried again', { error });
        wait = STATUS_RETRY_MS;
      }
    }
  }

  async #writeStatus(signal: AbortSignal): Promise<void> {
    const { definition, controller, leases } = this.#options;
    const patched = await (this.#node
      ? controller.updateStatus(definition, this.#node, signal)
      : controller.reconcile(definition, signal));
    this.#node = (await this.#isAsDesired(patched)) ? patched : await controller.reconcile(definition, signal);
    await leases.ensureOwner(definition, this.#node, signal);
  }

  async #isAsDesired(node: Node): Promise<boolean> {
    const { definition, deployment, store, clock } = this.#options;
    const until = (await store.get(definition.name))?.outOfCapacityUntil ?? 0;
    const desired = toDesiredNode(definition, deployment);
    return planNodeRepair(node, desired, { outOfCapacity: until > clock.now() }) === undefined;
  }

  /** False once `signal` has aborted. */
  async #pause(ms: number, signal: AbortSignal): Promise<boolean> {
    try {
      await this.#options.clock.sleep(ms, signal);
      return true;
    } catch {
      return false;
    }
  }
}
