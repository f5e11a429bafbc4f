import { ConflictError, InvalidError } from '../../../src/core/errors.ts';
import type { Lease, Node, NodeStatus } from '../../../src/model/kubernetes.ts';
import type { LeaseRenewal, LeasesApi, NodeStatusPatch, NodesApi } from '../../../src/ports/kubernetes.ts';
import type { CallLog } from './call-log.ts';
import type { Collection } from './collection.ts';
import { strategicMerge } from './strategic-merge.ts';

const LEASE_NAMESPACE = 'kube-node-lease';
const MICRO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/;

/** Nodes as our client sees them. */
export class FakeNodes implements NodesApi {
  readonly #nodes: Collection<Node>;
  readonly #log: CallLog;

  constructor(nodes: Collection<Node>, log: CallLog) {
    this.#nodes = nodes;
    this.#log = log;
  }

  get(name: string, signal: AbortSignal): Promise<Node> {
    return this.#log.run('nodes.get', [name], signal, () => this.#nodes.get('', name));
  }

  create(node: Node, signal: AbortSignal): Promise<Node> {
    return this.#log.run('nodes.create', [node], signal, () =>
      this.#nodes.create({ apiVersion: 'v1', kind: 'Node', ...node }),
    );
  }

  patch(name: string, patch: unknown, signal: AbortSignal): Promise<Node> {
    return this.#log.run('nodes.patch', [name, patch], signal, () =>
      this.#nodes.write(
        '',
        name,
        (current) => {
          const merged = strategicMerge(current, patch) as Node;
          return { ...merged, ...(current.status && { status: current.status }) };
        },
        expectedBy(patch),
      ),
    );
  }

  patchStatus(name: string, status: NodeStatusPatch, signal: AbortSignal): Promise<Node> {
    return this.#log.run('nodes.patchStatus', [name, status], signal, () =>
      this.#nodes.write('', name, (current) => ({
        ...current,
        status: strategicMerge(current.status ?? {}, status) as NodeStatus,
      })),
    );
  }

  delete({ name, uid }: { readonly name: string; readonly uid: string }, signal: AbortSignal): Promise<void> {
    return this.#log.run('nodes.delete', [{ name, uid }], signal, () => {
      this.#nodes.check(this.#nodes.get('', name), { uid });
      this.#nodes.remove('', name);
    });
  }
}

/** Leases of kube-node-lease, with the server's strictness about MicroTime and resourceVersions. */
export class FakeLeases implements LeasesApi {
  readonly #leases: Collection<Lease>;
  readonly #log: CallLog;

  constructor(leases: Collection<Lease>, log: CallLog) {
    this.#leases = leases;
    this.#log = log;
  }

  get(name: string, signal: AbortSignal): Promise<Lease> {
    return this.#log.run('leases.get', [name], signal, () => this.#leases.get(LEASE_NAMESPACE, name));
  }

  create(lease: Lease, signal: AbortSignal): Promise<Lease> {
    return this.#log.run('leases.create', [lease], signal, () => {
      checkTimes(lease);
      return this.#leases.create({
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        ...lease,
        metadata: { ...lease.metadata, namespace: LEASE_NAMESPACE },
      });
    });
  }

  update(lease: Lease, signal: AbortSignal): Promise<Lease> {
    return this.#log.run('leases.update', [lease], signal, () => {
      checkTimes(lease);
      const { name = '', uid, resourceVersion } = lease.metadata ?? {};
      const current = this.#leases.find(LEASE_NAMESPACE, name);
      if (!current && uid !== undefined)
        throw new ConflictError(
          `Operation cannot be fulfilled on leases "${name}": Precondition failed: UID in precondition: ${uid}`,
        );
      // The server makes a lease that is not there, if nothing says which one is meant.
      if (!current && resourceVersion)
        return this.#leases.create({ ...lease, metadata: { ...lease.metadata, namespace: LEASE_NAMESPACE } });
      if (!resourceVersion) throw new InvalidError('metadata.resourceVersion: must be specified for an update');
      return this.#leases.write(LEASE_NAMESPACE, name, () => lease, { ...(uid && { uid }), resourceVersion });
    });
  }

  renew(name: string, renewal: LeaseRenewal, signal: AbortSignal): Promise<Lease> {
    return this.#log.run('leases.renew', [name, renewal], signal, () => {
      checkTimes({ spec: { renewTime: renewal.renewTime } });
      return this.#leases.write(LEASE_NAMESPACE, name, (current) => {
        const { annotation, value } = renewal.owner;
        if (current.spec?.holderIdentity !== renewal.holder || current.metadata?.annotations?.[annotation] !== value)
          throw new ConflictError(`leases "${name}" is held by another`);
        return {
          ...current,
          metadata: { ...current.metadata, annotations: { ...current.metadata.annotations, ...renewal.annotations } },
          spec: { ...current.spec, renewTime: renewal.renewTime },
        };
      });
    });
  }
}

const expectedBy = (patch: unknown): { readonly resourceVersion?: string } => {
  const resourceVersion = (patch as Node).metadata?.resourceVersion;
  return resourceVersion === undefined ? {} : { resourceVersion };
};

const checkTimes = ({ spec }: Lease): void => {
  for (const time of [spec?.renewTime, spec?.acquireTime])
    if (time !== undefined && !MICRO_TIME.test(time))
      throw new InvalidError(`Lease in version "v1" cannot be handled: parsing time "${time}" as MicroTime`);
};
