import { microTime } from '../../core/micro-time.ts';
import type { Lease, Node } from '../../model/kubernetes.ts';
import { DEPLOYMENT_ANNOTATION, type Deployment, RENEWED_BY_ANNOTATION, type Renewer } from './node-definition.ts';

/** kubelet's: the control plane waits this long before it doubts a node. */
const LEASE_DURATION_SECONDS = 40;

/**
 * The lease of `node` renewed at `now`: new, or `before` with everything of ours made right. Owner is the Node by UID, so
 * that it goes with it; owners, labels and annotations of others stay. Pure.
 */
export const toLease = (
  node: Node,
  { name: deployment }: Deployment,
  { before, by, now }: { readonly before: Lease | undefined; readonly by: Renewer; readonly now: number },
): Lease => {
  const { name = '', uid = '' } = node.metadata ?? {};
  const otherOwners = (before?.metadata?.ownerReferences ?? []).filter(({ kind }) => kind !== 'Node');
  return {
    ...before,
    metadata: {
      ...before?.metadata,
      name,
      namespace: 'kube-node-lease',
      annotations: {
        ...before?.metadata?.annotations,
        [DEPLOYMENT_ANNOTATION]: deployment,
        [RENEWED_BY_ANNOTATION]: by,
      },
      ownerReferences: [...otherOwners, { apiVersion: 'v1', kind: 'Node', name, uid }],
    },
    spec: {
      ...before?.spec,
      holderIdentity: name,
      leaseDurationSeconds: LEASE_DURATION_SECONDS,
      renewTime: microTime(now),
    },
  };
};

/** Whether the Node with this UID owns the lease. */
export const isOwnedBy = (lease: Lease, nodeUid: string | undefined): boolean =>
  (lease.metadata?.ownerReferences ?? []).some(({ kind, uid }) => kind === 'Node' && uid === nodeUid);

/** Milliseconds since the epoch; undefined where the lease was never renewed. */
export const renewedAt = (lease: Lease): number | undefined => {
  const time = Date.parse(lease.spec?.renewTime ?? '');
  return Number.isNaN(time) ? undefined : time;
};
