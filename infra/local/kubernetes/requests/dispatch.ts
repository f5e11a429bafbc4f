import type { Authenticator } from '../access/authenticate.ts';
import { findReview, postReview } from '../access/reviews.ts';
import { methodNotAllowed, noSuchResource } from '../model/status.ts';
import type { ResourceDefinition } from '../resources/definition.ts';
import { postBinding } from '../subresources/binding.ts';
import { postEviction } from '../subresources/eviction.ts';
import { getLog } from '../subresources/logs.ts';
import { proxyToNode } from '../subresources/node-proxy.ts';
import { postToken } from '../subresources/token.ts';
import type { Exchange } from './exchange.ts';
import { listOptions } from './options.ts';
import { patchObject } from './patch.ts';
import { getObject, listObjects } from './read.ts';
import { removeCollection, removeObject } from './remove.ts';
import type { ResourceRoute } from './route.ts';
import { watchObjects } from './watch.ts';
import { postObject, putObject } from './write.ts';

/** Answers a request for a resource. @throws {ApiError} 404 for everything this API does not have. */
export const dispatch = async (
  exchange: Exchange,
  route: ResourceRoute,
  authenticator: Authenticator,
): Promise<void> => {
  const { definition, namespace, name, subresource } = route;
  if (!definition) {
    const review = findReview(route);
    if (!review || name !== undefined || review.isNamespaced !== (namespace !== undefined)) throw noSuchResource();
    if (exchange.request.method !== 'POST') throw methodNotAllowed();
    return postReview(exchange, review, namespace, authenticator);
  }
  if (!definition.isNamespaced && namespace !== undefined) throw noSuchResource();
  if (name === undefined) return onCollection(exchange, definition, namespace);
  if (definition.isNamespaced && namespace === undefined) throw noSuchResource();
  if (subresource === undefined) return onObject(exchange, definition, namespace, name, false);
  if (subresource === 'status' && definition.hasStatus) return onObject(exchange, definition, namespace, name, true);
  return onSubresource(exchange, route, namespace ?? '', name);
};

const onCollection = async (
  exchange: Exchange,
  definition: ResourceDefinition,
  namespace: string | undefined,
): Promise<void> => {
  switch (exchange.request.method) {
    case 'GET': {
      const options = listOptions(exchange.query);
      return options.isWatch
        ? watchObjects(exchange, definition, namespace, options)
        : listObjects(exchange, definition, namespace, options);
    }
    case 'POST':
      if (definition.isNamespaced && namespace === undefined) throw methodNotAllowed();
      return postObject(exchange, definition, namespace);
    case 'DELETE':
      if (!definition.deletesCollection || (definition.isNamespaced && namespace === undefined))
        throw methodNotAllowed();
      return removeCollection(exchange, definition, namespace);
    default:
      throw methodNotAllowed();
  }
};

const onObject = async (
  exchange: Exchange,
  definition: ResourceDefinition,
  namespace: string | undefined,
  name: string,
  isStatus: boolean,
): Promise<void> => {
  switch (exchange.request.method) {
    case 'GET':
      return getObject(exchange, definition, namespace, name);
    case 'PUT':
      return putObject(exchange, definition, namespace, name, isStatus);
    case 'PATCH':
      return patchObject(exchange, definition, namespace, name, isStatus);
    case 'DELETE':
      if (isStatus) throw methodNotAllowed();
      return removeObject(exchange, definition, namespace, name);
    default:
      throw methodNotAllowed();
  }
};

const onSubresource = async (
  exchange: Exchange,
  route: ResourceRoute,
  namespace: string,
  name: string,
): Promise<void> => {
  const { group, resource, subresource, rest } = route;
  const { method } = exchange.request;
  const only = (wanted: string): void => {
    if (method !== wanted) throw methodNotAllowed();
  };
  switch (group === '' ? `${resource}/${subresource}` : '') {
    case 'pods/log':
      only('GET');
      return getLog(exchange, namespace, name);
    case 'pods/binding':
      only('POST');
      return postBinding(exchange, namespace, name);
    case 'pods/eviction':
      only('POST');
      return postEviction(exchange, namespace, name);
    case 'serviceaccounts/token':
      only('POST');
      return postToken(exchange, namespace, name);
    case 'nodes/proxy':
      return proxyToNode(exchange, nodeNameOf(name), rest);
    default:
      throw noSuchResource();
  }
};

/** A proxied node may be named `SCHEME:NAME:PORT`; there is one endpoint a node here, so only the name counts. */
const nodeNameOf = (name: string): string => {
  const parts = name.split(':');
  return (parts.length === 3 ? parts[1] : parts[0]) ?? name;
};
