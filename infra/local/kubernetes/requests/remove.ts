import * as z from 'zod/mini';
import type { UserInfo } from '../access/user.ts';
import type { Api } from '../api.ts';
import type { KubernetesObject } from '../model/object.ts';
import { ApiError, badRequest, success } from '../model/status.ts';
import { type Deleted, deleteObject } from '../objects/delete.ts';
import type { DeleteOptions } from '../objects/delete-options.ts';
import type { ResourceDefinition } from '../resources/definition.ts';
import { asPod } from '../resources/typed.ts';
import { mediaTypeOf, parseObjectBody, readBody } from './body.ts';
import { type Exchange, respond } from './exchange.ts';
import { integerOption, listOptions, writeOptions } from './options.ts';
import { getStored } from './read.ts';
import { representList, representObject } from './represent.ts';
import { objectSelector } from './select.ts';

const optionsBody = z.object({
  gracePeriodSeconds: z.optional(z.nullable(z.int())),
  preconditions: z.optional(
    z.nullable(
      z.object({ uid: z.optional(z.nullable(z.string())), resourceVersion: z.optional(z.nullable(z.string())) }),
    ),
  ),
  dryRun: z.optional(z.nullable(z.array(z.literal('All')))),
});

const DELETE_OPTIONS = { kind: 'DeleteOptions', type: 'io.k8s.apimachinery.pkg.apis.meta.v1.DeleteOptions' };

/** DeleteOptions from the body, or from the query where there is no body. @throws {ApiError} 400 */
const readDeleteOptions = async (exchange: Exchange): Promise<DeleteOptions> => {
  const body = await readBody(exchange.request);
  const { isDryRun } = writeOptions(exchange.query, 'DeleteOptions');
  if (body.toString('utf8').trim() === '') {
    return { gracePeriodSeconds: integerOption(exchange.query, 'gracePeriodSeconds'), isDryRun };
  }
  const parsed = parseDeleteOptions(parseObjectBody(body, mediaTypeOf(exchange.request), DELETE_OPTIONS));
  return { ...parsed, isDryRun: isDryRun || parsed.isDryRun };
};

/** Delete options as an object of a request. @throws {ApiError} 400 */
export const parseDeleteOptions = (body: unknown): DeleteOptions => {
  const parsed = optionsBody.safeParse(body);
  if (!parsed.success) throw badRequest(`DeleteOptions cannot be read: ${z.prettifyError(parsed.error)}`);
  const { gracePeriodSeconds, preconditions, dryRun } = parsed.data;
  return {
    gracePeriodSeconds: gracePeriodSeconds ?? undefined,
    preconditions: {
      uid: preconditions?.uid ?? undefined,
      resourceVersion: preconditions?.resourceVersion ?? undefined,
    },
    isDryRun: (dryRun ?? []).length > 0,
  };
};

/** Asks the webhook about a pod's deletion, then deletes what is there afterwards. @throws {ApiError} */
export const deleteWithAdmission = async (
  api: Api,
  definition: ResourceDefinition,
  current: KubernetesObject,
  options: DeleteOptions,
  user: UserInfo,
): Promise<Deleted> => {
  if (definition.resource !== 'pods' || !asPod(current).spec?.nodeName) {
    return deleteObject(api, definition, current, options);
  }
  await api.webhook.podDeleted(current, { user, isDryRun: options.isDryRun }, options);
  const { namespace, name = '' } = current.metadata;
  return deleteObject(api, definition, getStored(api.store, definition, namespace, name), options);
};

/** Deletes what is there under that name now; nothing there is no fault. */
export const deleteIfThere = async (
  api: Api,
  definition: ResourceDefinition,
  { namespace, name = '' }: KubernetesObject['metadata'],
  options: DeleteOptions,
  user: UserInfo,
): Promise<void> => {
  const current = api.store.get(definition.resource, namespace, name);
  if (!current) return;
  try {
    await deleteWithAdmission(api, definition, current, options, user);
  } catch (error) {
    if (!(error instanceof ApiError) || error.code !== 404) throw error;
  }
};

/** DELETE of one object. */
export const removeObject = async (
  exchange: Exchange,
  definition: ResourceDefinition,
  namespace: string | undefined,
  name: string,
): Promise<void> => {
  const options = await readDeleteOptions(exchange);
  const current = getStored(exchange.api.store, definition, namespace, name);
  const { object, isRemoved } = await deleteWithAdmission(exchange.api, definition, current, options, exchange.user);
  if (!isRemoved || definition.returnsDeleted) {
    respond(exchange, 200, representObject(exchange, definition, object));
    return;
  }
  const { group, resource } = definition;
  const details = { name, ...(group ? { group } : {}), kind: resource, uid: object.metadata.uid };
  respond(exchange, 200, success({ details }));
};

/** DELETE of a collection; answers with what was there. */
export const removeCollection = async (
  exchange: Exchange,
  definition: ResourceDefinition,
  namespace: string | undefined,
): Promise<void> => {
  const { api, user } = exchange;
  const options = await readDeleteOptions(exchange);
  const selects = objectSelector(definition, listOptions(exchange.query));
  const objects = api.store.list(definition.resource, namespace).filter(selects);
  for (const { metadata } of objects) await deleteIfThere(api, definition, metadata, options, user);
  const metadata = { resourceVersion: String(api.store.revision) };
  respond(exchange, 200, representList(exchange, definition, objects, metadata));
};
