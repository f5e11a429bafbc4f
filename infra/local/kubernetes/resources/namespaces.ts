import type { KubernetesObject } from '../model/object.ts';
import { selectableFields } from '../select/fields.ts';
import { namespacePrinter } from '../tables/small-kinds.ts';
import { namespaceFaults } from '../values/names.ts';
import { coreDefaults, keepStatus, plainStrategy, type ResourceDefinition } from './definition.ts';

/** Each namespace carries its own name as a label, and the finalizer that keeps it until it is empty. */
const prepareCreate = (namespace: KubernetesObject): KubernetesObject => ({
  ...namespace,
  metadata: {
    ...namespace.metadata,
    labels: { ...namespace.metadata.labels, 'kubernetes.io/metadata.name': namespace.metadata.name ?? '' },
  },
  spec: { finalizers: ['kubernetes'] },
  status: { phase: 'Active' },
});

export const namespaces: ResourceDefinition = {
  ...coreDefaults,
  isNamespaced: false,
  resource: 'namespaces',
  singular: 'namespace',
  kind: 'Namespace',
  shortNames: ['ns'],
  type: 'io.k8s.api.core.v1.Namespace',
  hasStatus: true,
  deletesCollection: false,
  nameFaults: namespaceFaults,
  fields: selectableFields(['status.phase', 'name'], { name: ({ metadata }) => nameOf(metadata) }),
  printer: namespacePrinter,
  strategy: {
    ...plainStrategy,
    prepareCreate,
    prepareUpdate: (next, current) => keepStatus({ ...next, spec: current['spec'] }, current),
  },
};

const nameOf = (metadata: unknown): string =>
  typeof metadata === 'object' && metadata !== null && 'name' in metadata ? String(metadata.name) : '';
