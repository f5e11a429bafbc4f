import type { Clock, Random } from '../core/clock.ts';
import type { Taint } from '../model/kubernetes.ts';
import type { Logger } from './logger.ts';
import type { Provider } from './provider.ts';
import type { ResourceStore } from './resource-store.ts';

/** Makes the provider that `--provider` names. One is registered per name. */
export interface ProviderFactory {
  readonly name: string;
  /**
   * @param config the document of `--provider-config` (YAML or JSON, parsed), undefined where no file was named. It is
   * foreign data: the factory parses it and reports every fault at once, each with its path and how to mend it.
   * @throws {PermanentError} listing every fault of `config` and of the environment.
   */
  create(config: unknown, deps: ProviderDeps): Promise<CreatedProvider>;
}

export interface CreatedProvider {
  readonly provider: Provider;
  /** What the provider knows of the node and the command does not; the command's own settings win. */
  readonly node?: ProvidedNode;
  /** Names of the nodes that its configuration describes, where it describes any. */
  readonly nodes?: readonly string[];
  /** Name of the deployment that its configuration describes; it marks the node as ours. Undefined: the command's. */
  readonly deployment?: string;
}

/** Parts of a node that its provider decides. */
export interface ProvidedNode {
  /** Quantities by resource name; capacity and allocatable alike. Undefined: the command's default. */
  readonly capacity?: Readonly<Record<string, string | number>>;
  readonly architecture?: 'amd64' | 'arm64';
  /** Instead of `svk://<deployment>/<node>`. */
  readonly providerID?: string;
  /** Added to the standard labels; they win over them. */
  readonly labels?: Readonly<Record<string, string>>;
  /** Instead of the one of the command. */
  readonly taints?: readonly Taint[];
}

/** What a provider is given of the process it lives in. */
export interface ProviderDeps {
  /** Name of the Node object; empty: it is for all of those that its configuration describes. */
  readonly node: string;
  /** `--os`: `linux` or `windows`. */
  readonly operatingSystem: string;
  /** `VKUBELET_POD_IP`, where set: the address of this process inside the cluster. */
  readonly internalIp?: string;
  /** `KUBELET_PORT`: where the kubelet API listens. */
  readonly daemonPort: number;
  /** `--cluster-domain`. */
  readonly clusterDomain: string;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly resources: ResourceStore;
  /** Names the cluster in what the provider makes: a hash of the UID of namespace kube-system. */
  readonly clusterHash: () => string;
  readonly environment: Variables;
}

/** Environment variables, by name. */
export type Variables = Readonly<Record<string, string | undefined>>;
