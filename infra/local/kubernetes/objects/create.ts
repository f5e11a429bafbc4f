import type { UserInfo } from '../access/user.ts';
import type { Api } from '../api.ts';
import type { KubernetesObject } from '../model/object.ts';
import {
  type ApiError,
  alreadyExists,
  badRequest,
  forbiddenTo,
  internal,
  invalidObject,
  notFound,
} from '../model/status.ts';
import { admitPod } from '../pods/admission.ts';
import type { ResourceDefinition } from '../resources/definition.ts';
import { withAddresses } from '../resources/service-addresses.ts';
import { asNamespace, asPod } from '../resources/typed.ts';
import { metadataErrors, newMetadata } from './metadata.ts';

export interface CreateOptions {
  readonly namespace: string | undefined;
  readonly isDryRun: boolean;
  readonly user: UserInfo;
}

/**
 * Makes `object` (decoded, in the stored version) as the server would: namespace check, defaults, admission,
 * validation, the webhook, then the store. Returns what is stored; on a dry run what would be.
 * @throws {ApiError}
 */
export const createObject = async (
  api: Api,
  definition: ResourceDefinition,
  object: KubernetesObject,
  { namespace, isDryRun, user }: CreateOptions,
): Promise<KubernetesObject> => {
  const { store } = api;
  if (object.metadata.resourceVersion) throw internal('resourceVersion should not be set on objects to be created');
  if (namespace !== undefined) checkNamespace(api, definition, object, namespace);
  const metadata = newMetadata(object.metadata, namespace, definition.strategy.startsGeneration !== undefined, api);
  const prepared = definition.strategy.prepareCreate({ ...object, metadata });
  const admitted = admit(api, definition, prepared);
  const errors = [...metadataErrors(admitted, definition), ...definition.strategy.validate(admitted)];
  const name = metadata.name ?? '';
  if (errors.length > 0) throw invalidObject(definition.group, definition.kind, object.metadata.name ?? name, errors);
  const exists = (): boolean => store.get(definition.resource, namespace, name) !== undefined;
  if (exists()) throw alreadyExists(definition, name);
  if (definition.resource === 'pods' && asPod(admitted).spec?.nodeName) {
    await api.webhook.podCreated(admitted, { user, isDryRun });
    if (exists()) throw alreadyExists(definition, name);
  }
  return isDryRun ? admitted : store.create(definition.resource, admitted);
};

/** Admission NamespaceLifecycle. */
const checkNamespace = (
  { store }: Api,
  definition: ResourceDefinition,
  { metadata }: KubernetesObject,
  namespace: string,
): void => {
  if (metadata.namespace && metadata.namespace !== namespace) throw namespaceMismatch();
  const owner = store.get('namespaces', undefined, namespace);
  if (!owner) throw notFound({ group: '', resource: 'namespaces' }, namespace);
  if (asNamespace(owner).status?.phase !== 'Terminating') return;
  throw forbiddenTo(
    definition,
    metadata.name ?? '',
    `unable to create new content in namespace ${namespace} because it is being terminated`,
    {
      causes: [
        {
          reason: 'NamespaceTerminating',
          message: `namespace ${namespace} is being terminated`,
          field: 'metadata.namespace',
        },
      ],
    },
  );
};

/** The body says another namespace than the path. */
export const namespaceMismatch = (): ApiError =>
  badRequest('the namespace of the provided object does not match the namespace sent on the request');

const admit = (api: Api, definition: ResourceDefinition, object: KubernetesObject): KubernetesObject => {
  switch (definition.resource) {
    case 'pods':
      return admitPod(object, {
        random: api.random,
        findServiceAccount: (namespace, name) => api.store.get('serviceaccounts', namespace, name),
      });
    case 'services':
      return withAddresses(object, api.store.list('services'), api.random);
    default:
      return object;
  }
};
