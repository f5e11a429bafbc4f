import type { Taint } from '../../model/kubernetes.ts';

/** One node as the operator describes it. */
export interface NodeDefinition {
  readonly name: string;
  readonly architecture: 'amd64' | 'arm64';
  /** What images run here; undefined: linux. */
  readonly operatingSystem?: 'linux' | 'windows' | undefined;
  /** Instead of `svk://<deployment>/<node>`. */
  readonly providerID?: string | undefined;
  /** Quantities by resource name (`cpu`, `memory`, `pods` …); capacity and allocatable alike. */
  readonly capacity: Readonly<Record<string, string | number>>;
  /** Added to the standard ones; they win over them. */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /** Instead of the standard one. */
  readonly taints?: readonly Taint[] | undefined;
  /** Where the API server finds this node's kubelet API: a host name or an IP address. */
  readonly endpoint?: NodeEndpoint | undefined;
}

export interface NodeEndpoint {
  readonly host: string;
  readonly port: number;
  /** It takes every WebSocket that a client of the API server may open: the node declares so. */
  readonly webSockets?: boolean;
}

/** Who keeps the nodes. */
export interface Deployment {
  /** Name of the deployment: it marks every Node and Lease as ours. */
  readonly name: string;
  /** Name of the provider, as in the taint `virtual-kubelet.io/provider=<provider>`. */
  readonly provider: string;
  /** Our own version. */
  readonly version: string;
}

/** Names the deployment a Node or Lease belongs to. */
export const DEPLOYMENT_ANNOTATION = 'svk.dev/deployment';

/** Remembers which labels and taints came from us, so that one taken out of the settings goes. */
export const MANAGED_ANNOTATION = 'svk.dev/managed';

/** On a lease: what renewed it last. A run that finds its predecessor's word there knows that no beat came between. */
export const RENEWED_BY_ANNOTATION = 'svk.dev/renewed-by';
export type Renewer = 'schedule' | 'beat';

/** On a node whose provider has no capacity or quota left. */
export const OUT_OF_CAPACITY: Taint = { key: 'svk.dev/out-of-capacity', effect: 'NoSchedule' };

/** Cloud controllers leave schemes alone that are not theirs. */
export const providerIdOf = (deployment: string, node: string): string => `svk://${deployment}/${node}`;
