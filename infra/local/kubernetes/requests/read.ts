import { type KubernetesObject, numberOf, objectOf, textOf } from '../model/object.ts';
import { ApiError, badRequest, expired, notFound } from '../model/status.ts';
import type { ResourceDefinition } from '../resources/definition.ts';
import type { Store } from '../store/store.ts';
import { type Exchange, respond } from './exchange.ts';
import type { ListOptions } from './options.ts';
import { representList, representObject } from './represent.ts';
import { objectSelector } from './select.ts';

/** @throws {ApiError} 404 */
export const getStored = (
  store: Store,
  definition: ResourceDefinition,
  namespace: string | undefined,
  name: string,
): KubernetesObject => {
  const object = store.get(definition.resource, namespace, name);
  if (!object) throw notFound(definition, name);
  return object;
};

/** GET of one object. */
export const getObject = (
  exchange: Exchange,
  definition: ResourceDefinition,
  namespace: string | undefined,
  name: string,
): void => {
  const version = exchange.query.get('resourceVersion');
  if (version !== null && /^\d+$/.test(version)) checkNotAhead(exchange.api.store, Number(version));
  const object = getStored(exchange.api.store, definition, namespace, name);
  respond(exchange, 200, representObject(exchange, definition, object));
};

/** GET of a collection, in pages where `limit` asks for them. */
export const listObjects = (
  exchange: Exchange,
  definition: ResourceDefinition,
  namespace: string | undefined,
  options: ListOptions,
): void => {
  const { store } = exchange.api;
  if (options.resourceVersion !== undefined) checkNotAhead(store, options.resourceVersion);
  if (options.isExact && options.resourceVersion !== store.revision) {
    throw expired('The resourceVersion for the provided list is too old.');
  }
  const selects = objectSelector(definition, options);
  const from = options.continueToken === undefined ? undefined : readContinue(store, definition, options.continueToken);
  const all = store
    .list(definition.resource, namespace)
    .filter((object) => from === undefined || keyOf(object) > from.after);
  const selected = all.filter(selects);
  const page = selected.slice(0, options.limit);
  const revision = from?.revision ?? store.revision;
  const last = page[page.length - 1];
  const isCut = last !== undefined && page.length < selected.length;
  const hasSelector = options.labelSelector !== '' || options.fieldSelector !== '';
  const metadata = {
    resourceVersion: String(revision),
    ...(isCut ? { continue: writeContinue(revision, keyOf(last)) } : {}),
    ...(isCut && !hasSelector ? { remainingItemCount: selected.length - page.length } : {}),
  };
  respond(exchange, 200, representList(exchange, definition, page, metadata));
};

const keyOf = ({ metadata }: KubernetesObject): string => `${metadata.namespace ?? ''}/${metadata.name ?? ''}`;

/** A version this server has not reached: the client has seen another one. @throws {ApiError} 504 */
const checkNotAhead = (store: Store, revision: number): void => {
  if (revision <= store.revision) return;
  throw new ApiError(504, 'Timeout', `Timeout: Too large resource version: ${revision}, current: ${store.revision}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });
};

interface Continue {
  readonly revision: number;
  readonly after: string;
}

/*
 * Pages show the present, not the state at the first page's revision; each carries that first revision all the same.
 * A client that then watches from it hears of everything the pages missed, so lists and watches join without gaps.
 */
const writeContinue = (revision: number, after: string): string =>
  Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', rv: revision, start: `${after}\u0000` })).toString('base64url');

const readContinue = (store: Store, definition: ResourceDefinition, token: string): Continue => {
  const { revision, after } = parseContinue(token);
  if (store.since(definition.resource, revision) === 'expired') {
    throw expired(
      'The provided continue parameter is too old to display a consistent list result. You must start a new list without the continue parameter.',
    );
  }
  return { revision, after };
};

const parseContinue = (token: string): Continue => {
  try {
    const parsed = objectOf(JSON.parse(Buffer.from(token, 'base64url').toString('utf8')));
    const revision = numberOf(parsed['rv']);
    const start = textOf(parsed['start']);
    if (revision !== undefined && start !== undefined) return { revision, after: start.replace(/\0$/, '') };
  } catch (error) {
    throw badRequest(
      `invalid continue token: continue key is not valid: ${error instanceof Error ? error.message : ''}`,
    );
  }
  throw badRequest('invalid continue token: continue key is not valid');
};
