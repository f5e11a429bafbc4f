import type { KubernetesObject } from '../model/object.ts';
import { notFound, otherUid } from '../model/status.ts';
import { createObject } from '../objects/create.ts';
import { updateObject } from '../objects/update.ts';
import { type ResourceDefinition } from '../resources/definition.ts';
import { readObject } from './body.ts';
import { type Exchange, respond } from './exchange.ts';
import { writeOptions } from './options.ts';
import { getStored } from './read.ts';
import { representObject } from './represent.ts';

/** The object in the version it is stored in. */
export const inStoredVersion = ({ conversion }: ResourceDefinition, object: KubernetesObject): KubernetesObject =>
  conversion ? conversion.toStored(object) : object;

/** POST to a collection. */
export const postObject = async (
  exchange: Exchange,
  definition: ResourceDefinition,
  namespace: string | undefined,
): Promise<void> => {
  const { isDryRun, fieldValidation } = writeOptions(exchange.query, 'CreateOptions');
  const { object, warnings } = await readObject(exchange.request, definition, fieldValidation);
  const created = await createObject(exchange.api, definition, inStoredVersion(definition, object), {
    namespace,
    isDryRun,
    user: exchange.user,
  });
  respond(exchange, 201, representObject(exchange, definition, created), warnings);
};

/** PUT of an object or its status. Leases and events are made where there are none, as the real server does. */
export const putObject = async (
  exchange: Exchange,
  definition: ResourceDefinition,
  namespace: string | undefined,
  name: string,
  isStatus: boolean,
): Promise<void> => {
  const { api, user } = exchange;
  const { isDryRun, fieldValidation } = writeOptions(exchange.query, 'UpdateOptions');
  const { object, warnings } = await readObject(exchange.request, definition, fieldValidation);
  const next = inStoredVersion(definition, object);
  if (!api.store.get(definition.resource, namespace, name)) {
    if (!definition.createsOnUpdate || isStatus) throw notFound(definition, name);
    const { resourceVersion: _ignored, uid: asked, ...metadata } = next.metadata;
    if (asked) throw otherUid(definition, { namespace, name, asked, actual: '' });
    const created = await createObject(api, definition, { ...next, metadata }, { namespace, isDryRun, user });
    respond(exchange, 201, representObject(exchange, definition, created), warnings);
    return;
  }
  const current = getStored(api.store, definition, namespace, name);
  const updated = updateObject(api, definition, current, next, { isStatus, isDryRun, isReplacement: true });
  respond(exchange, 200, representObject(exchange, definition, updated), warnings);
};
