import { sha256Hex } from '../../../../src/core/digest.ts';
import { isObject, type JsonObject, listOf } from '../model/object.ts';
import { apiVersionOf, type ResourceDefinition } from '../resources/definition.ts';
import { resources } from '../resources/registry.ts';
import { openApiTypes } from './shapes.ts';

/*
 * Just enough OpenAPI for kubectl: it looks up whether a PATCH knows `fieldValidation` (then it leaves validation to the
 * server), the merge keys for its three-way patches, and the fields `kubectl explain` shows. Types are the real
 * server's, without their descriptions.
 */

const WRITE_PARAMETERS = ['dryRun', 'fieldManager', 'fieldValidation'].map((name) => ({
  name,
  in: 'query',
  schema: { type: 'string', uniqueItems: true },
}));
const PATCH_TYPES = ['apply-patch+yaml', 'json-patch+json', 'merge-patch+json', 'strategic-merge-patch+json'];

const INFO = { title: 'Kubernetes', version: 'v1.36.3' };

const groupVersionPath = (groupVersion: string): string => (groupVersion === 'v1' ? 'api/v1' : `apis/${groupVersion}`);

const ownGroupVersions: readonly string[] = [...new Set(resources.map(apiVersionOf))];

const pathsOf = (definition: ResourceDefinition): readonly (readonly [string, object])[] => {
  const { group, version, kind, type, resource, isNamespaced } = definition;
  const collection = `/${groupVersionPath(apiVersionOf(definition))}/${isNamespaced ? 'namespaces/{namespace}/' : ''}${resource}`;
  const body = { '*/*': { schema: { $ref: `#/components/schemas/${type}` } } };
  const operation = (action: string, parameters: readonly object[] = []): object => ({
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': { group, version, kind },
    parameters,
    responses: {
      200: { description: 'OK', content: { 'application/json': { schema: { $ref: `#/components/schemas/${type}` } } } },
    },
  });
  const write = (action: string): object => ({
    ...operation(action, WRITE_PARAMETERS),
    requestBody: { content: body },
  });
  const patch = {
    ...operation('patch', WRITE_PARAMETERS),
    requestBody: {
      content: Object.fromEntries(
        PATCH_TYPES.map((patchType) => [`application/${patchType}`, { schema: { type: 'object' } }]),
      ),
    },
  };
  return [
    [collection, { get: operation('list'), post: write('post') }],
    [`${collection}/{name}`, { get: operation('get'), put: write('put'), patch, delete: operation('delete') }],
  ];
};

const documentOf = (groupVersion: string): object => {
  const own = resources.filter((definition) => apiVersionOf(definition) === groupVersion);
  return {
    openapi: '3.0.0',
    info: INFO,
    paths: Object.fromEntries(own.flatMap(pathsOf)),
    components: { schemas: openApiTypes() },
  };
};

/** The index of OpenAPI v3 documents. */
export const openApiIndex = (): object => ({
  paths: Object.fromEntries(
    ownGroupVersions.map((groupVersion) => {
      const path = groupVersionPath(groupVersion);
      const hash = sha256Hex(JSON.stringify(documentOf(groupVersion)), 32);
      return [path, { serverRelativeURL: `/openapi/v3/${path}?hash=${hash}` }];
    }),
  ),
});

/** The OpenAPI v3 document of a group version (`api/v1`, `apis/GROUP/VERSION`). */
export const openApiDocument = (path: string): object | undefined => {
  const groupVersion = ownGroupVersions.find((known) => groupVersionPath(known) === path);
  return groupVersion === undefined ? undefined : documentOf(groupVersion);
};

/** All types as one OpenAPI v2 document, for clients that ask for JSON. */
export const swaggerDocument = (): object => ({
  swagger: '2.0',
  info: INFO,
  paths: {},
  definitions: Object.fromEntries(Object.entries(openApiTypes()).map(([name, schema]) => [name, toSwagger(schema)])),
});

const toSwagger = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(toSwagger);
  if (typeof value === 'string') return value.replace('#/components/schemas/', '#/definitions/');
  if (!isObject(value)) return value;
  const [only] = listOf(value['allOf']);
  const fields: JsonObject = isObject(only) ? { ...value, allOf: undefined, default: undefined, ...only } : value;
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, field]) =>
      field === undefined || name === 'oneOf' ? [] : [[name, toSwagger(field)]],
    ),
  );
};
