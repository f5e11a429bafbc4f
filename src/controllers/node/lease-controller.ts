import type { Clock } from '../../core/clock.ts';
import { withDeadline } from '../../core/deadline.ts';
import { ConflictError, ignoreNotFound, NotFoundError, PermanentError } from '../../core/errors.ts';
import { microTime } from '../../core/micro-time.ts';
import type { Lease, Node } from '../../model/kubernetes.ts';
import type { LeasesApi } from '../../ports/kubernetes.ts';
import type { Logger } from '../../ports/logger.ts';
import { isOwnedBy, renewedAt, toLease } from './lease-object.ts';
import {
  DEPLOYMENT_ANNOTATION,
  type Deployment,
  type NodeDefinition,
  RENEWED_BY_ANNOTATION,
  type Renewer,
} from './node-definition.ts';
import { isOurLease } from './ownership.ts';

/** A renewal younger than this needs no other: beats come every 10 s, some of them twice. */
const DUE_AFTER_MS = 8_000;
/** A node or lease of somebody else is looked at again once a minute, not with every beat. */
const REFUSED_FOR_MS = 55_000;
const WRITE_TRIES = 3;
/** Below the interval of the beats, so that a call that hangs costs one beat and not two. */
const RENEWAL_DEADLINE_MS = 9_000;

/** A lease as the server has it; both undefined where there is none of ours. */
export interface LeaseInspection {
  readonly node: string;
  readonly ageMs: number | undefined;
  readonly renewedBy: string | undefined;
}

/**
 * Renews the nodes' leases in kube-node-lease. A due lease costs one call, without a read before it. Nothing is kept that
 * says a lease exists: each answer decides. What is remembered only saves calls.
 */
export class LeaseController {
  readonly #leases: LeasesApi;
  readonly #nodes: { ensureRegistered(definition: NodeDefinition, signal: AbortSignal): Promise<Node> };
  readonly #clock: Clock;
  readonly #logger: Logger;
  readonly #deployment: Deployment;
  readonly #dueAt = new Map<string, number>();
  readonly #seen = new Map<string, Lease>();

  constructor(deps: {
    readonly leases: LeasesApi;
    /** Registers the node where its lease has gone: most likely it went with its node. */
    readonly nodes: { ensureRegistered(definition: NodeDefinition, signal: AbortSignal): Promise<Node> };
    readonly clock: Clock;
    readonly logger: Logger;
    readonly deployment: Deployment;
  }) {
    this.#leases = deps.leases;
    this.#nodes = deps.nodes;
    this.#clock = deps.clock;
    this.#logger = deps.logger;
    this.#deployment = deps.deployment;
  }

  /**
   * Renews what is older than 8 s, each within 9 s. Failures are logged and answered, not thrown: the next beat is the
   * retry, and one node's trouble is not another's.
   */
  async renewDue(nodes: readonly NodeDefinition[], by: Renewer, signal: AbortSignal): Promise<readonly Error[]> {
    const failures = await Promise.all(nodes.map((node) => this.#attempt(node, by, signal)));
    return failures.filter((failure) => failure !== undefined);
  }

  /** Reads every lease: how old it is, as the server has it. Nodes whose lease cannot be read are left out. */
  async inspect(nodes: readonly NodeDefinition[], signal: AbortSignal): Promise<readonly LeaseInspection[]> {
    const inspected = await Promise.all(
      nodes.map(async ({ name }): Promise<LeaseInspection | undefined> => {
        try {
          const found = await this.#within(name, signal, (limit) => ignoreNotFound(this.#leases.get(name, limit)));
          const ours = found?.metadata?.annotations?.[DEPLOYMENT_ANNOTATION] === this.#deployment.name;
          const lease = ours ? found : undefined;
          const at = lease && renewedAt(lease);
          if (lease) this.#seen.set(name, lease);
          else this.#seen.delete(name);
          this.#dueAt.set(name, at === undefined ? 0 : at + DUE_AFTER_MS);
          return {
            node: name,
            ageMs: at === undefined ? undefined : this.#clock.now() - at,
            renewedBy: lease?.metadata?.annotations?.[RENEWED_BY_ANNOTATION],
          };
        } catch (error) {
          this.#logger.warn('lease not read', { node: name, error });
          return undefined;
        }
      }),
    );
    return inspected.filter((one) => one !== undefined);
  }

  /** Makes the Node own its lease: a node that was registered again has another UID. @throws what the API throws. */
  async ensureOwner(definition: NodeDefinition, node: Node, signal: AbortSignal): Promise<void> {
    await this.#within(definition.name, signal, async (limit) => {
      const seen = this.#seen.get(definition.name);
      if (!seen || !isOwnedBy(seen, node.metadata?.uid)) await this.#put(definition, node, 'schedule', limit);
    });
  }

  async #attempt(definition: NodeDefinition, by: Renewer, signal: AbortSignal): Promise<Error | undefined> {
    const { name } = definition;
    if (this.#clock.now() < (this.#dueAt.get(name) ?? 0)) return undefined;
    try {
      await this.#within(name, signal, (limit) => this.#renew(definition, by, limit));
      return undefined;
    } catch (cause) {
      const refused = cause instanceof PermanentError;
      if (refused) this.#dueAt.set(name, this.#clock.now() + REFUSED_FOR_MS);
      this.#logger[refused ? 'error' : 'warn']('lease not renewed', { node: name, error: cause });
      return cause instanceof Error ? cause : new Error('lease not renewed', { cause });
    }
  }

  async #renew(definition: NodeDefinition, by: Renewer, signal: AbortSignal): Promise<void> {
    const { name } = definition;
    const now = this.#clock.now();
    const renewal = {
      renewTime: microTime(now),
      holder: name,
      owner: { annotation: DEPLOYMENT_ANNOTATION, value: this.#deployment.name },
      annotations: { [RENEWED_BY_ANNOTATION]: by },
    };
    try {
      this.#renewed(name, now, await this.#leases.renew(name, renewal, signal));
    } catch (error) {
      if (!(error instanceof NotFoundError || error instanceof ConflictError)) throw error;
      await this.#restore(definition, by, signal);
    }
  }

  /** The lease is not there, or is not as we left it. */
  async #restore(definition: NodeDefinition, by: Renewer, signal: AbortSignal): Promise<void> {
    await this.#put(definition, await this.#nodes.ensureRegistered(definition, signal), by, signal);
  }

  /**
   * Makes or renews the lease of `node`, whole. Between a read and a write another run may make it, and the garbage
   * collector may take it: after its node was deleted that is the rule.
   */
  async #put(definition: NodeDefinition, node: Node, by: Renewer, signal: AbortSignal): Promise<void> {
    const { name } = definition;
    for (let left = WRITE_TRIES; ; left -= 1) {
      const before = await ignoreNotFound(this.#leases.get(name, signal));
      const now = this.#clock.now();
      if (before && !isOurLease(before, this.#deployment, { nodeUid: node.metadata?.uid, now }))
        throw new PermanentError(
          `lease ${name} in kube-node-lease is renewed by another deployment: ` +
            'choose another name (nodes[].name of the settings, --nodename of svk run), or stop what renews it',
        );
      const lease = toLease(node, this.#deployment, { before, by, now });
      try {
        const written = before ? this.#leases.update(lease, signal) : this.#leases.create(lease, signal);
        this.#renewed(name, now, await written);
        this.#logger.info(before ? 'lease taken over' : 'lease created', { node: name });
        return;
      } catch (error) {
        if (!(error instanceof ConflictError) || left <= 1) throw error;
      }
    }
  }

  #renewed(name: string, at: number, lease: Lease): void {
    this.#dueAt.set(name, at + DUE_AFTER_MS);
    this.#seen.set(name, lease);
  }

  #within<T>(node: string, signal: AbortSignal, act: (limit: AbortSignal) => Promise<T>): Promise<T> {
    return withDeadline(this.#clock, { ms: RENEWAL_DEADLINE_MS, what: `lease of node ${node}`, signal }, act);
  }
}
