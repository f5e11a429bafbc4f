import { requestNameOf } from '../../controllers/certificates/serving-certificate.ts';

/** A rule of a Role or ClusterRole. */
export interface Rule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly verbs: readonly string[];
  readonly resourceNames?: readonly string[];
}

const rule = (apiGroup: string, resource: string, verbs: readonly string[], names?: readonly string[]): Rule => ({
  apiGroups: [apiGroup],
  resources: [resource],
  verbs,
  ...(names && { resourceNames: names }),
});

/** Who uses the rules: the functions, or one process (`svk run`), which watches and ends its node itself. */
export type Mode = 'functions' | 'process';

/**
 * What a deployment may do anywhere in the cluster. No Secret, and no write but to its own nodes, to the status of pods
 * and to events. RBAC knows no "pods of this node": that is what the node identity is for.
 */
export const clusterRules = (nodes: readonly string[], mode: Mode): readonly Rule[] => [
  // A name cannot be given to `create`.
  rule('', 'nodes', ['create']),
  rule('', 'nodes', mode === 'process' ? ['get', 'patch', 'delete'] : ['get', 'patch'], nodes),
  rule('', 'nodes/status', ['patch'], nodes),
  rule('', 'pods', mode === 'process' ? ['get', 'list', 'watch', 'delete'] : ['get', 'list', 'delete']),
  rule('', 'pods/status', ['patch']),
  rule('', 'configmaps', ['get']),
  rule('', 'services', mode === 'process' ? ['get', 'list', 'watch'] : ['get', 'list']),
  rule('', 'events', ['create']),
  // Its UID names the cluster.
  rule('', 'namespaces', ['get'], ['kube-system']),
  // Who calls the kubelet API, and may they.
  rule('authentication.k8s.io', 'tokenreviews', ['create']),
  rule('authorization.k8s.io', 'subjectaccessreviews', ['create']),
];

/** In namespace kube-node-lease. */
export const leaseRules = (nodes: readonly string[]): readonly Rule[] => [
  rule('coordination.k8s.io', 'leases', ['create']),
  rule('coordination.k8s.io', 'leases', ['get', 'update', 'patch'], nodes),
];

/** In each namespace whose pods may use their Secrets and the tokens of their ServiceAccounts. */
export const grantedRules = (): readonly Rule[] => [
  rule('', 'secrets', ['get']),
  rule('', 'serviceaccounts/token', ['create']),
];

/** To ask for the serving certificates of the nodes, and to replace a request left behind. Approving stays with somebody else. */
export const certificateRules = (nodes: readonly string[]): readonly Rule[] => [
  rule('certificates.k8s.io', 'certificatesigningrequests', ['create']),
  rule('certificates.k8s.io', 'certificatesigningrequests', ['get', 'delete'], nodes.map(requestNameOf)),
];

/** What the Node authorizer does not give to a node already. */
export const rulesBesideNodeAuthorizer = (): readonly Rule[] => [rule('', 'namespaces', ['get'], ['kube-system'])];

/** To replace a request left behind; asking and looking is given already. */
export const nodeCertificateRules = (nodes: readonly string[]): readonly Rule[] => [
  rule('certificates.k8s.io', 'certificatesigningrequests', ['delete'], nodes.map(requestNameOf)),
];

/**
 * What a stream gateway may do: say where it serves its nodes, look at pods, and ask who calls. It starts, ends and
 * changes no pod, and reads no Secret.
 */
export const gatewayRules = (nodes: readonly string[]): readonly Rule[] => [
  rule('', 'nodes', ['get', 'patch'], nodes),
  rule('', 'nodes/status', ['patch'], nodes),
  rule('', 'pods', ['get', 'list']),
  rule('', 'namespaces', ['get'], ['kube-system']),
  rule('authentication.k8s.io', 'tokenreviews', ['create']),
  rule('authorization.k8s.io', 'subjectaccessreviews', ['create']),
  ...certificateRules(nodes),
];

/** In namespace default, where events of nodes are. */
export const nodeEventRules = (): readonly Rule[] => [rule('', 'events', ['create'])];

/** In namespace kube-system: the CA of those who call kubelets. */
export const clientAuthorityRules = (): readonly Rule[] => [
  rule('', 'configmaps', ['get'], ['extension-apiserver-authentication']),
];
