import { isIP } from 'node:net';
import { stableJson } from '../../core/digest.ts';
import type { Node, NodeCondition, NodeStatus, Taint } from '../../model/kubernetes.ts';
import type { NodeStatusPatch } from '../../ports/kubernetes.ts';
import {
  DEPLOYMENT_ANNOTATION,
  type Deployment,
  MANAGED_ANNOTATION,
  type NodeDefinition,
  providerIdOf,
} from './node-definition.ts';

/** Labels, annotations, taints and provider id of a node: what registration writes and repair holds. Pure. */
export interface DesiredNode {
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly taints: readonly Taint[];
  readonly providerID: string;
}

/**
 * `eks.amazonaws.com/compute-type=fargate` is what DaemonSets and the AWS load balancer controller already know to leave
 * alone; `virtual-kubelet.io/provider` is the taint users of virtual-kubelet tolerate.
 */
export const toDesiredNode = (definition: NodeDefinition, deployment: Deployment): DesiredNode => {
  const labels = {
    type: 'virtual-kubelet',
    ...(deployment.provider === 'fargate' && { 'eks.amazonaws.com/compute-type': 'fargate' }),
    'kubernetes.io/os': operatingSystemOf(definition),
    'kubernetes.io/arch': definition.architecture,
    'kubernetes.io/hostname': definition.name,
    'node.kubernetes.io/exclude-from-external-load-balancers': 'true',
    ...definition.labels,
  };
  const taints = definition.taints ?? [
    { key: 'virtual-kubelet.io/provider', value: deployment.provider, effect: 'NoSchedule' },
  ];
  return {
    labels,
    taints,
    annotations: {
      [DEPLOYMENT_ANNOTATION]: deployment.name,
      [MANAGED_ANNOTATION]: stableJson({ labels: Object.keys(labels).sort(), taints: taints.map(taintId).sort() }),
    },
    providerID: definition.providerID ?? providerIdOf(deployment.name, definition.name),
  };
};

const operatingSystemOf = ({ operatingSystem = 'linux' }: NodeDefinition): string => operatingSystem;

/** A taint is named by key and effect: one key may taint with several effects. */
export const taintId = ({ key, effect }: Taint): string => `${key}:${effect}`;

/** The status fields that are ours. Pure. */
export const toNodeStatus = (
  definition: NodeDefinition,
  { provider }: Deployment,
  { kubeletVersion, conditions }: { readonly kubeletVersion: string; readonly conditions: readonly NodeCondition[] },
): NodeStatus => {
  const capacity = Object.fromEntries(
    Object.entries(definition.capacity).map(([name, value]) => [name, String(value)]),
  );
  return {
    capacity,
    allocatable: capacity,
    conditions: [...conditions],
    ...toEndpointStatus(definition.name, definition.endpoint),
    ...toDeclaredFeatures(definition.endpoint, kubeletVersion),
    nodeInfo: {
      architecture: definition.architecture,
      bootID: '',
      containerRuntimeVersion: `${provider}://svk`,
      kernelVersion: '',
      kubeProxyVersion: '',
      kubeletVersion,
      machineID: '',
      operatingSystem: operatingSystemOf(definition),
      osImage: `serverless-virtual-kubelet (${provider})`,
      systemUUID: '',
    },
  };
};

/**
 * Tells the API server to hand on the WebSockets of its clients instead of translating them to SPDY (KEP-4006). Servers
 * before 1.36 do not read it and may not know the field. The list is sorted and has no duplicates: the API demands it.
 */
const toDeclaredFeatures = (
  endpoint: NodeDefinition['endpoint'],
  version: string,
): Pick<NodeStatus, 'declaredFeatures'> =>
  endpoint?.webSockets === true && isSince136(version) ? { declaredFeatures: ['ExtendWebSocketsToKubelet'] } : {};

const isSince136 = (version: string): boolean => {
  const [, major = 0, minor = 0] = (/^v(\d+)\.(\d+)\./.exec(version) ?? []).map(Number);
  return major > 1 || (major === 1 && minor >= 36);
};

/** The status fields that say where the API server finds the kubelet API of a node. Pure. */
export const toEndpointStatus = (
  name: string,
  endpoint: NodeDefinition['endpoint'],
): Pick<NodeStatus, 'addresses' | 'daemonEndpoints'> => ({
  addresses: toAddresses(name, endpoint),
  ...(endpoint && { daemonEndpoints: { kubeletEndpoint: { Port: endpoint.port } } }),
});

/** As a patch: addresses merge by type on the server, so that a type we no longer have would stay. Pure. */
export const withAddresses = ({ addresses = [], ...status }: NodeStatus): NodeStatusPatch => ({
  ...status,
  addresses: [{ $patch: 'replace' }, ...addresses],
});

/** API Gateway is reached by name, the stream gateway by address. The API server tries the types in its own order. */
const toAddresses = (name: string, endpoint: NodeDefinition['endpoint']): NonNullable<NodeStatus['addresses']> => {
  if (!endpoint) return [{ type: 'Hostname', address: name }];
  if (isIP(endpoint.host)) return [{ type: 'InternalIP', address: endpoint.host }];
  return [
    { type: 'Hostname', address: endpoint.host },
    { type: 'InternalDNS', address: endpoint.host },
  ];
};

/** The whole object for the first POST: never bare, or ordinary pods would be scheduled before the taint comes. */
export const toNewNode = (definition: NodeDefinition, desired: DesiredNode, status: NodeStatus): Node => ({
  metadata: { name: definition.name, labels: { ...desired.labels }, annotations: { ...desired.annotations } },
  spec: { providerID: desired.providerID, taints: [...desired.taints] },
  status,
});

/** A kubelet's version next to the server's, so that version checks pass: `v1.36.3` becomes `v1.36.3-svk-0.1.0`. */
export const toKubeletVersion = (serverVersion: string, ownVersion: string): string =>
  `${/^v\d+\.\d+\.\d+/.exec(serverVersion)?.[0] ?? 'v0.0.0'}-svk-${ownVersion}`;
