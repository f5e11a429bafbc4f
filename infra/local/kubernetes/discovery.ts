import { reviews } from './access/reviews.ts';
import { apiVersionOf, type ResourceDefinition } from './resources/definition.ts';
import { resources } from './resources/registry.ts';

interface ResourceEntry {
  readonly name: string;
  readonly singularName: string;
  readonly namespaced: boolean;
  readonly group?: string;
  readonly version?: string;
  readonly kind: string;
  readonly verbs: readonly string[];
  readonly shortNames?: readonly string[];
  readonly categories?: readonly string[];
}

const subresource = (
  name: string,
  kind: string,
  verbs: readonly string[],
  of: { group?: string; version?: string } = {},
): ResourceEntry => ({
  name,
  singularName: '',
  namespaced: !name.startsWith('nodes/') && !name.startsWith('namespaces/'),
  ...of,
  kind,
  verbs,
});

const SUBRESOURCES: readonly ResourceEntry[] = [
  subresource('nodes/proxy', 'NodeProxyOptions', ['create', 'delete', 'get', 'patch', 'update']),
  subresource('pods/binding', 'Binding', ['create']),
  subresource('pods/eviction', 'Eviction', ['create'], { group: 'policy', version: 'v1' }),
  subresource('pods/log', 'Pod', ['get']),
  subresource('serviceaccounts/token', 'TokenRequest', ['create'], { group: 'authentication.k8s.io', version: 'v1' }),
];

const verbsOf = ({ deletesCollection }: ResourceDefinition): readonly string[] => [
  'create',
  'delete',
  ...(deletesCollection ? ['deletecollection'] : []),
  'get',
  'list',
  'patch',
  'update',
  'watch',
];

const entryOf = (definition: ResourceDefinition): readonly ResourceEntry[] => [
  {
    name: definition.resource,
    singularName: definition.singular,
    namespaced: definition.isNamespaced,
    kind: definition.kind,
    verbs: verbsOf(definition),
    ...(definition.shortNames.length > 0 ? { shortNames: definition.shortNames } : {}),
    ...(definition.categories.length > 0 ? { categories: definition.categories } : {}),
  },
  ...(definition.hasStatus
    ? [subresource(`${definition.resource}/status`, definition.kind, ['get', 'patch', 'update'])]
    : []),
];

const entriesOf = (groupVersion: string): readonly ResourceEntry[] => [
  ...resources.filter((definition) => apiVersionOf(definition) === groupVersion).flatMap(entryOf),
  ...(groupVersion === 'v1' ? SUBRESOURCES : []),
  ...reviews
    .filter((review) => apiVersionOf(review) === groupVersion)
    .map(({ resource, kind, isNamespaced }) => ({
      name: resource,
      singularName: kind.toLowerCase(),
      namespaced: isNamespaced,
      kind,
      verbs: ['create'],
    })),
];

/** `GROUP/VERSION` of every group served, the core group left out. */
const groupVersions: readonly string[] = [
  ...new Set([...resources, ...reviews].filter(({ group }) => group !== '').map(apiVersionOf)),
];

const groupOf = (groupVersion: string): object => {
  const [name = '', version = ''] = groupVersion.split('/');
  return { name, versions: [{ groupVersion, version }], preferredVersion: { groupVersion, version } };
};

/** The discovery document at `path`; undefined where there is none. */
export const discoveryDocument = (path: string): object | undefined => {
  if (path === '/api') {
    return { kind: 'APIVersions', versions: ['v1'], serverAddressByClientCIDRs: [] };
  }
  if (path === '/apis') return { kind: 'APIGroupList', apiVersion: 'v1', groups: groupVersions.map(groupOf) };
  const groupVersion = path === '/api/v1' ? 'v1' : path.replace(/^\/apis\//, '');
  if (groupVersion === 'v1' || groupVersions.includes(groupVersion)) {
    return { kind: 'APIResourceList', apiVersion: 'v1', groupVersion, resources: entriesOf(groupVersion) };
  }
  const group = groupVersions.find((known) => known.startsWith(`${groupVersion}/`));
  return group ? { kind: 'APIGroup', apiVersion: 'v1', ...groupOf(group) } : undefined;
};
