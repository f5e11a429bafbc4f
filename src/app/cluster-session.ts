import { createDynamoClient } from '../adapters/dynamodb/client.ts';
import { DynamoNodeStore } from '../adapters/dynamodb/node-store.ts';
import { DynamoPodStore } from '../adapters/dynamodb/pod-store.ts';
import { DynamoResourceStore } from '../adapters/dynamodb/resource-store.ts';
import { Table } from '../adapters/dynamodb/table.ts';
import { eksTokens } from '../adapters/eks/eks-token.ts';
import { type KubernetesCredentials, parseCredentials } from '../adapters/kubernetes/credentials.ts';
import { createKubernetes } from '../adapters/kubernetes/kubernetes-api.ts';
import { KubernetesClient } from '../adapters/kubernetes/kubernetes-client.ts';
import type { Clock } from '../core/clock.ts';
import { sha256Hex } from '../core/digest.ts';
import { dispositionOf, PermanentError } from '../core/errors.ts';
import type { Kubernetes } from '../ports/kubernetes.ts';
import type { NodeStore } from '../ports/node-store.ts';
import type { PodStore } from '../ports/pod-store.ts';
import type { ResourceStore } from '../ports/resource-store.ts';
import type { Foundation } from './foundation.ts';

/** Everything that belongs to one Kubernetes cluster: its API, and the rows kept of it. */
export interface ClusterSession {
  readonly kubernetes: Kubernetes;
  /** Names the cluster in keys and in `startedBy`: a hash of the UID of namespace kube-system. */
  readonly clusterHash: string;
  readonly podStore: PodStore;
  readonly nodeStore: NodeStore;
  readonly resources: ResourceStore;
}

const HASH_LENGTH = 12;
const OPEN_DEADLINE_MS = 10_000;

/**
 * The session with the cluster that the stored credentials lead to, and what is built on it. Kept as long as they stay
 * the same; credentials that were replaced (rotation, another cluster) make a new one within minutes, or at once after a
 * call was refused.
 */
export class ClusterSessions<T> {
  readonly #foundation: Foundation;
  readonly #build: (session: ClusterSession) => T;
  readonly #table: Table;
  #current: { readonly text: string; readonly client: KubernetesClient; readonly built: Promise<T> } | undefined;
  #stale = false;

  constructor(foundation: Foundation, build: (session: ClusterSession) => T) {
    const { environment, endpointOf } = foundation;
    const endpoint = endpointOf('DYNAMODB');
    this.#foundation = foundation;
    this.#build = build;
    this.#table = new Table(
      createDynamoClient({ region: environment.region, ...(endpoint !== undefined && { endpoint }) }),
      environment.table,
    );
  }

  /** Runs `use` with what was built for the current cluster. @throws what `use` throws, and where the cluster can't be opened. */
  async with<R>(signal: AbortSignal, use: (built: T) => Promise<R>): Promise<R> {
    try {
      return await use(await this.#open(signal));
    } catch (error) {
      // Perhaps the credentials were refused: the next call reads them anew.
      if (dispositionOf(error) === 'permanent') this.#stale = true;
      throw error;
    }
  }

  async #open(signal: AbortSignal): Promise<T> {
    const { environment, parameters, clock } = this.#foundation;
    const name = environment.credentialsParameter;
    const text = await (this.#stale ? parameters.reread(name, signal) : parameters.get(name, signal));
    this.#stale = false;
    if (this.#current?.text === text) return this.#current.built;
    this.#current?.client.close();
    const client = this.#connect(parseCredentials(text, `SSM parameter ${name}`), clock);
    const built = this.#begin(client);
    this.#current = { text, client, built };
    built.catch(() => {
      // A failure is not kept: the next call tries again.
      if (this.#current?.client === client) this.#current = undefined;
    });
    return built;
  }

  /** Whatever is refused as unauthorized, however far below: the next call reads the credentials anew. */
  #connect(credentials: KubernetesCredentials, clock: Clock): KubernetesClient {
    const eks = credentials.eks && eksTokens(credentials.eks, { clock, identity: this.#foundation.identity });
    return new KubernetesClient(credentials, {
      clock,
      ...(eks && { tokens: eks.tokens }),
      onUnauthorized: () => {
        this.#stale = true;
        eks?.forget();
      },
    });
  }

  async #begin(client: KubernetesClient): Promise<T> {
    const kubernetes = createKubernetes(client);
    const { metadata } = await kubernetes.cluster.namespace('kube-system', AbortSignal.timeout(OPEN_DEADLINE_MS));
    if (metadata?.uid === undefined)
      throw new PermanentError('namespace kube-system has no UID: is this a Kubernetes API server?');
    const clusterHash = sha256Hex(metadata.uid, HASH_LENGTH);
    const { clock } = this.#foundation;
    return this.#build({
      kubernetes,
      clusterHash,
      podStore: new DynamoPodStore({ table: this.#table, clock, cluster: clusterHash }),
      nodeStore: new DynamoNodeStore({ table: this.#table, cluster: clusterHash }),
      resources: new DynamoResourceStore({ table: this.#table }),
    });
  }
}
