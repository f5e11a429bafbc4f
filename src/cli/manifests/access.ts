import { type Identity, type Subject, subjectsOf, toServiceAccount } from './identity.ts';
import { labelsOf, type Manifest, nameOf } from './manifest.ts';
import {
  certificateRules,
  clusterRules,
  grantedRules,
  leaseRules,
  type Mode,
  type Rule,
  rulesBesideNodeAuthorizer,
} from './rules.ts';

export interface AccessOptions {
  readonly deployment: string;
  readonly nodes: readonly string[];
  readonly identity: Identity;
  /** Of the ServiceAccount. */
  readonly namespace: string;
  /** Where Secrets may be read and tokens be made. */
  readonly grants: readonly string[];
  readonly mode: Mode;
  /** Whether certificates for a stream gateway may be asked for. */
  readonly certificates: boolean;
}

const API_VERSION = 'rbac.authorization.k8s.io/v1';

/** Roles and bindings of a deployment: the least it works with. */
export const toAccess = (options: AccessOptions): readonly Manifest[] => {
  const { deployment, nodes, identity, namespace, grants, mode, certificates } = options;
  const subjects = subjectsOf(identity, options);
  const everywhere = [
    ...(identity === 'node' ? rulesBesideNodeAuthorizer() : clusterRules(nodes, mode)),
    ...(certificates && identity !== 'node' ? certificateRules() : []),
  ];
  // The Node authorizer gives a node what its own pods refer to, and its lease, by itself.
  const within =
    identity === 'node'
      ? []
      : [
          ...inNamespace(deployment, 'kube-node-lease', leaseRules(nodes), subjects),
          ...grants.flatMap((granted) => inNamespace(deployment, granted, grantedRules(), subjects)),
        ];
  return [
    ...(identity === 'serviceaccount' ? toServiceAccount(deployment, namespace) : []),
    ...inCluster(deployment, everywhere, subjects),
    ...within,
  ];
};

const inCluster = (deployment: string, rules: readonly Rule[], subjects: readonly Subject[]): readonly Manifest[] => {
  const metadata = { name: nameOf(deployment), labels: labelsOf(deployment) };
  return [
    { apiVersion: API_VERSION, kind: 'ClusterRole', metadata, rules },
    {
      apiVersion: API_VERSION,
      kind: 'ClusterRoleBinding',
      metadata,
      roleRef: roleRef('ClusterRole', deployment),
      subjects,
    },
  ];
};

const inNamespace = (
  deployment: string,
  namespace: string,
  rules: readonly Rule[],
  subjects: readonly Subject[],
): readonly Manifest[] => {
  const metadata = { name: nameOf(deployment), namespace, labels: labelsOf(deployment) };
  return [
    { apiVersion: API_VERSION, kind: 'Role', metadata, rules },
    { apiVersion: API_VERSION, kind: 'RoleBinding', metadata, roleRef: roleRef('Role', deployment), subjects },
  ];
};

const roleRef = (kind: string, deployment: string): object => ({
  apiGroup: 'rbac.authorization.k8s.io',
  kind,
  name: nameOf(deployment),
});
