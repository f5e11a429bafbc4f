import { noSuchResource } from '../model/status.ts';
import type { ResourceDefinition } from '../resources/definition.ts';
import { findResource } from '../resources/registry.ts';

/** What a path names. */
export type Route =
  | { readonly kind: 'path'; readonly path: string }
  | {
      readonly kind: 'resource';
      readonly group: string;
      readonly version: string;
      readonly resource: string;
      /** Undefined for resources that only answer (reviews). */
      readonly definition: ResourceDefinition | undefined;
      readonly namespace: string | undefined;
      readonly name: string | undefined;
      readonly subresource: string | undefined;
      /** What follows the sub-resource, with its slash (proxies). */
      readonly rest: string;
    };

export type ResourceRoute = Route & { readonly kind: 'resource' };

/** Reads `/api/v1/...` and `/apis/GROUP/VERSION/...`; every other path is itself. @throws {ApiError} 400-404 */
export const parseRoute = (path: string): Route => {
  const segments = path.split('/').filter((segment) => segment !== '');
  const isCore = segments[0] === 'api';
  const [group = '', version = ''] = isCore ? ['', segments[1]] : [segments[1], segments[2]];
  const rest = segments.slice(isCore ? 2 : 3).map(decodeSegment);
  if ((!isCore && segments[0] !== 'apis') || rest.length === 0) return { kind: 'path', path };
  const isNamespaced = rest[0] === 'namespaces' && rest.length > 2 && !isNamespaceSubresource(group, rest);
  const namespace = isNamespaced ? rest[1] : undefined;
  const [resource = '', name, subresource, ...more] = isNamespaced ? rest.slice(2) : rest;
  return {
    kind: 'resource',
    group,
    version,
    resource,
    definition: findResource(group, version, resource),
    namespace,
    name,
    subresource,
    rest: more.length > 0 ? `/${more.join('/')}${path.endsWith('/') ? '/' : ''}` : path.endsWith('/') ? '/' : '',
  };
};

/** `/api/v1/namespaces/NAME/status` is a sub-resource, `/api/v1/namespaces/NAME/pods` a resource. */
const isNamespaceSubresource = (group: string, rest: readonly string[]): boolean =>
  group === '' && rest.length === 3 && (rest[2] === 'status' || rest[2] === 'finalize');

const decodeSegment = (segment: string): string => {
  try {
    return decodeURIComponent(segment);
  } catch {
    throw noSuchResource();
  }
};

/** The verb of Kubernetes' authorization for a request. */
export const verbOf = (method: string, route: ResourceRoute, isWatch: boolean): string => {
  switch (method) {
    case 'GET':
    case 'HEAD':
      return route.name !== undefined ? 'get' : isWatch ? 'watch' : 'list';
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return route.name !== undefined ? 'delete' : 'deletecollection';
    default:
      return method.toLowerCase();
  }
};
