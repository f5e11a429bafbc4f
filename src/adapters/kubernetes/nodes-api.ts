import { ConflictError, InvalidError } from '../../core/errors.ts';
import type { Lease, Node } from '../../model/kubernetes.ts';
import type { LeasesApi, NodesApi } from '../../ports/kubernetes.ts';
import type { KubernetesClient } from './kubernetes-client.ts';
import { leasePath, nodePath } from './paths.ts';

/** Nodes of one API server. */
export const createNodesApi = (client: KubernetesClient): NodesApi => ({
  get: (name, signal) => client.get<Node>(nodePath(name), { signal }),
  create: (node, signal) => client.create<Node>(nodePath(), { apiVersion: 'v1', kind: 'Node', ...node }, { signal }),
  patch: (name, patch, signal) => client.patch<Node>(nodePath(name), 'strategic', patch, { signal }),
  patchStatus: (name, status, signal) =>
    client.patch<Node>(nodePath(name, 'status'), 'strategic', { status }, { signal }),
  delete: ({ name, uid }, signal) => client.delete(nodePath(name), { signal, preconditions: { uid } }),
});

/** Leases of namespace kube-node-lease. */
export const createLeasesApi = (client: KubernetesClient): LeasesApi => ({
  get: (name, signal) => client.get<Lease>(leasePath(name), { signal }),

  create: (lease, signal) =>
    client.create<Lease>(leasePath(), { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', ...lease }, { signal }),

  update: (lease, signal) => client.update<Lease>(leasePath(lease.metadata?.name ?? ''), lease, { signal }),

  renew: async (name, { renewTime, holder, owner, annotations }, signal) => {
    const patch = [
      { op: 'test', path: '/spec/holderIdentity', value: holder },
      { op: 'test', path: annotationPath(owner.annotation), value: owner.value },
      { op: 'add', path: '/spec/renewTime', value: renewTime },
      ...Object.entries(annotations).map(([key, value]) => ({ op: 'add', path: annotationPath(key), value })),
    ];
    try {
      return await client.patch<Lease>(leasePath(name), 'json', patch, { signal });
    } catch (error) {
      // The server answers 422 where a test of a JSON patch does not hold.
      if (error instanceof InvalidError)
        throw new ConflictError(`lease ${name} is not as we left it`, { cause: error });
      throw error;
    }
  },
});

/** As a JSON pointer (RFC 6901). */
const annotationPath = (key: string): string =>
  `/metadata/annotations/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
