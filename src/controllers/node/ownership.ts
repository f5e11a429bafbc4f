import type { Lease, Node } from '../../model/kubernetes.ts';
import { DEPLOYMENT_ANNOTATION, type Deployment, providerIdOf } from './node-definition.ts';

/** A lease nobody renewed for this long has no holder any more (the control plane's own default). */
const LEASE_DURATION_MS = 40_000;

/** Whether a Node of our name is ours: by annotation, or, where somebody removed that, by its unchangeable providerID. */
export const isOurNode = (node: Node, { name: deployment }: Pick<Deployment, 'name'>): boolean => {
  const owner = node.metadata?.annotations?.[DEPLOYMENT_ANNOTATION];
  if (owner !== undefined) return owner === deployment;
  return node.spec?.providerID === providerIdOf(deployment, node.metadata?.name ?? '');
};

/**
 * Whether a lease of our node's name may be renewed by us. One without our mark is left over from an earlier node, or
 * somebody removed the mark: it is ours if our Node owns it or nobody renews it.
 */
export const isOurLease = (
  lease: Lease,
  { name: deployment }: Deployment,
  { nodeUid, now }: { readonly nodeUid: string | undefined; readonly now: number },
): boolean => {
  const owner = lease.metadata?.annotations?.[DEPLOYMENT_ANNOTATION];
  if (owner !== undefined) return owner === deployment;
  if (nodeUid !== undefined && lease.metadata?.ownerReferences?.some(({ uid }) => uid === nodeUid)) return true;
  const renewedAt = Date.parse(lease.spec?.renewTime ?? '');
  return Number.isNaN(renewedAt) || now - renewedAt > LEASE_DURATION_MS;
};
