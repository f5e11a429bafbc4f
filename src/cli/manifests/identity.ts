import { labelsOf, type Manifest, nameOf } from './manifest.ts';

/**
 * Who the deployment is in the cluster:
 * - `serviceaccount`: a ServiceAccount of its own, with a token that lasts.
 * - `group`: users of the group `svk-<deployment>`, as an EKS access entry puts the roles of the functions into it.
 * - `node`: the user `system:node:<name>`: the Node authorizer confines it to its own pods. One credential is one node.
 */
export const IDENTITIES = ['serviceaccount', 'group', 'node'] as const;
export type Identity = (typeof IDENTITIES)[number];

/** What a binding names. */
export type Subject = Readonly<Record<string, string>>;

const RBAC = 'rbac.authorization.k8s.io';

export const subjectsOf = (
  identity: Identity,
  {
    deployment,
    namespace,
    nodes,
  }: { readonly deployment: string; readonly namespace: string; readonly nodes: readonly string[] },
): readonly Subject[] => {
  switch (identity) {
    case 'serviceaccount':
      return [{ kind: 'ServiceAccount', name: nameOf(deployment), namespace }];
    case 'group':
      return [{ kind: 'Group', name: nameOf(deployment), apiGroup: RBAC }];
    case 'node':
      return nodes.map((node) => ({ kind: 'User', name: `system:node:${node}`, apiGroup: RBAC }));
    default:
      return identity satisfies never;
  }
};

/** The namespace, the ServiceAccount, and the Secret into which the control plane puts its token. */
export const toServiceAccount = (deployment: string, namespace: string): readonly Manifest[] => {
  const name = nameOf(deployment);
  const labels = labelsOf(deployment);
  return [
    { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } },
    {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name, namespace, labels },
      automountServiceAccountToken: false,
    },
    {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace, labels, annotations: { 'kubernetes.io/service-account.name': name } },
      type: 'kubernetes.io/service-account-token',
    },
  ];
};
