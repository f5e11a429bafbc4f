import type { KubernetesClient } from '../../adapters/kubernetes/kubernetes-client.ts';
import { leasePath, nodePath } from '../../adapters/kubernetes/paths.ts';
import { DEPLOYMENT_ANNOTATION } from '../../controllers/node/node-definition.ts';
import { ConflictError, ignoreNotFound, NotFoundError } from '../../core/errors.ts';
import type { Node } from '../../model/kubernetes.ts';
import { nameOf } from '../manifests/manifest.ts';

const RBAC = '/apis/rbac.authorization.k8s.io/v1';

/** What tells the API server of pods, and what lets the functions in: without it no heartbeat makes the node anew. */
export const takeAwayRights = async (
  client: KubernetesClient,
  deployment: string,
  signal: AbortSignal,
): Promise<void> => {
  const name = nameOf(deployment);
  const paths = [
    `/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations/${name}`,
    `${RBAC}/clusterrolebindings/${name}`,
    `${RBAC}/namespaces/kube-node-lease/rolebindings/${name}`,
  ];
  for (const path of paths) await ignoreNotFound(client.delete(path, { signal }));
};

/** `removed`, `absent`, or `foreign` where a node of that name belongs to another deployment and stays. */
export const takeAwayNode = async (
  client: KubernetesClient,
  { node, deployment }: { readonly node: string; readonly deployment: string },
  signal: AbortSignal,
): Promise<'removed' | 'absent' | 'foreign'> => {
  const found = await ignoreNotFound(client.get<Node>(nodePath(node), { signal }));
  if (found === undefined) {
    await ignoreNotFound(client.delete(leasePath(node), { signal }));
    return 'absent';
  }
  if (found.metadata?.annotations?.[DEPLOYMENT_ANNOTATION] !== deployment) return 'foreign';
  const { uid } = found.metadata;
  try {
    await client.delete(nodePath(node), { signal, ...(uid !== undefined && { preconditions: { uid } }) });
  } catch (error) {
    if (!(error instanceof NotFoundError || error instanceof ConflictError)) throw error;
  }
  await ignoreNotFound(client.delete(leasePath(node), { signal }));
  return 'removed';
};
