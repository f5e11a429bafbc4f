import type { KubernetesObject } from '../model/object.ts';
import { apiVersionOf, type ResourceDefinition } from '../resources/definition.ts';
import { partialMetadata } from '../tables/partial-metadata.ts';
import { type IncludeObject, toTable } from '../tables/table.ts';
import type { Exchange } from './exchange.ts';

/** The object in the version the request asked for. */
export const inRequestedVersion = ({ conversion }: ResourceDefinition, stored: KubernetesObject): KubernetesObject =>
  conversion ? conversion.fromStored(stored) : stored;

const includeOf = (query: URLSearchParams): IncludeObject => {
  const include = query.get('includeObject');
  return include === 'None' || include === 'Object' ? include : 'Metadata';
};

/** One object as the client wants it: whole, its metadata alone, or a table of one row. */
export const representObject = (
  { api, query, representation }: Pick<Exchange, 'api' | 'query' | 'representation'>,
  definition: ResourceDefinition,
  stored: KubernetesObject,
  hasColumns = true,
): object => {
  const shown = inRequestedVersion(definition, stored);
  switch (representation.as) {
    case 'object':
      return shown;
    case 'metadata':
      return partialMetadata(shown);
    case 'table':
      return toTable(
        definition.printer,
        [{ printed: stored, shown }],
        { resourceVersion: stored.metadata.resourceVersion },
        { include: includeOf(query), now: api.clock.now(), hasColumns },
      );
    default:
      return representation.as satisfies never;
  }
};

/** A list as the client wants it. */
export const representList = (
  { api, query, representation }: Pick<Exchange, 'api' | 'query' | 'representation'>,
  definition: ResourceDefinition,
  stored: readonly KubernetesObject[],
  metadata: object,
): object => {
  const shown = stored.map((object) => inRequestedVersion(definition, object));
  switch (representation.as) {
    case 'object':
      return {
        kind: `${definition.kind}List`,
        apiVersion: apiVersionOf(definition),
        metadata,
        items: shown.map(({ kind: _kind, apiVersion: _apiVersion, ...item }) => item),
      };
    case 'metadata':
      return {
        kind: 'PartialObjectMetadataList',
        apiVersion: 'meta.k8s.io/v1',
        metadata,
        items: shown.map(partialMetadata),
      };
    case 'table':
      return toTable(
        definition.printer,
        stored.map((printed, index) => ({ printed, shown: shown[index] ?? printed })),
        metadata,
        { include: includeOf(query), now: api.clock.now(), hasColumns: true },
      );
    default:
      return representation.as satisfies never;
  }
};
