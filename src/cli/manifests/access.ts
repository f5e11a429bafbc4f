import { type Identity, type Subject, subjectsOf, toServiceAccount } from './identity.ts';
import { labelsOf, type Manifest, nameOf } from './manifest.ts';
import {
  certificateRules,
  clusterRules,
  grantedRules,
  leaseRules,
  type Mode,
  nodeCertificateRules,
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
  /** Whether serving certificates may be asked for. */
  readonly certificates: boolean;
}

const API_VERSION = 'rbac.authorization.k8s.io/v1';

/** Roles and bindings of a deployment: the least it works with. */
export const toAccess = (options: AccessOptions): readonly Manifest[] => {
  const { deployment, nodes, identity, namespace, grants, mode, certificates } = options;
  const subjects = subjectsOf(identity, options);
  const holder = { deployment, name: nameOf(deployment) };
  const everywhere =
    identity === 'node'
      ? [...rulesBesideNodeAuthorizer(), ...(certificates ? nodeCertificateRules(nodes) : [])]
      : [...clusterRules(nodes, mode), ...(certificates ? certificateRules(nodes) : [])];
  // The Node authorizer gives a node what its own pods refer to, and its lease, by itself.
  const within =
    identity === 'node'
      ? []
      : [
          ...inNamespace(holder, 'kube-node-lease', leaseRules(nodes), subjects),
          ...grants.flatMap((granted) => inNamespace(holder, granted, grantedRules(), subjects)),
        ];
  return [
    ...(identity === 'serviceaccount' ? toServiceAccount(deployment, namespace) : []),
    ...inCluster(holder, everywhere, subjects),
    ...within,
  ];
};

/** Who holds a role: it gives the role its name and labels. */
export interface RoleHolder {
  readonly deployment: string;
  readonly name: string;
}

/** A ClusterRole and its binding. */
export const inCluster = (
  { deployment, name }: RoleHolder,
  rules: readonly Rule[],
  subjects: readonly Subject[],
): readonly Manifest[] => {
  const metadata = { name, labels: labelsOf(deployment) };
  return [
    { apiVersion: API_VERSION, kind: 'ClusterRole', metadata, rules },
    {
      apiVersion: API_VERSION,
      kind: 'ClusterRoleBinding',
      metadata,
      roleRef: roleRef('ClusterRole', name),
      subjects,
    },
  ];
};

/** A Role and its binding. */
export const inNamespace = (
  { deployment, name }: RoleHolder,
  namespace: string,
  rules: readonly Rule[],
  subjects: readonly Subject[],
): readonly Manifest[] => {
  const metadata = { name, namespace, labels: labelsOf(deployment) };
  return [
    { apiVersion: API_VERSION, kind: 'Role', metadata, rules },
    { apiVersion: API_VERSION, kind: 'RoleBinding', metadata, roleRef: roleRef('Role', name), subjects },
  ];
};

const roleRef = (kind: string, name: string): object => ({
  apiGroup: 'rbac.authorization.k8s.io',
  kind,
  name,
});
