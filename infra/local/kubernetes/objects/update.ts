import type { ObjectMeta } from '../../../../src/model/kubernetes.ts';
import type { Api } from '../api.ts';
import { type FieldError, invalid } from '../model/field-error.ts';
import { type KubernetesObject, listOf, objectOf, sameJson } from '../model/object.ts';
import { badRequest, internal, invalidObject, modified, otherUid } from '../model/status.ts';
import { onlyStatusChanges, type ResourceDefinition } from '../resources/definition.ts';
import { namespaceMismatch } from './create.ts';
import { metadataErrors, metadataUpdateErrors, nextMetadata } from './metadata.ts';

export interface UpdateOptions {
  readonly isStatus: boolean;
  readonly isDryRun: boolean;
  /** PUT: the body's UID and resourceVersion are preconditions; a patch names fields. */
  readonly isReplacement: boolean;
}

/**
 * Writes `next` (decoded, in the stored version) over `current`, as the server would: preconditions, fields that may
 * not change, defaults, validation. Nothing is written where nothing changed. An object whose deletion only waited
 * for finalizers is removed.
 * @throws {ApiError}
 */
export const updateObject = (
  { store }: Pick<Api, 'store'>,
  definition: ResourceDefinition,
  current: KubernetesObject,
  next: KubernetesObject,
  { isStatus, isDryRun, isReplacement }: UpdateOptions,
): KubernetesObject => {
  checkIdentity(definition, next.metadata, current.metadata, isReplacement);
  const normalised = { ...next, metadata: nextMetadata(next.metadata, current.metadata) };
  const prepared = isStatus
    ? onlyStatusChanges(normalised, current)
    : definition.strategy.prepareUpdate(normalised, current);
  const errors: readonly FieldError[] = [
    ...metadataUpdateErrors(next.metadata, current.metadata),
    ...metadataErrors(prepared, definition),
    ...(isStatus
      ? (definition.strategy.validateStatus?.(prepared, current) ?? [])
      : [...definition.strategy.validateUpdate(prepared, current), ...definition.strategy.validate(prepared)]),
  ];
  if (errors.length > 0) throw invalidObject(definition.group, definition.kind, current.metadata.name ?? '', errors);
  if (sameJson(prepared, current)) return current;
  const written = counted(definition, prepared, current);
  if (isDryRun) return written;
  return isGone(written) ? store.remove(definition.resource, written) : store.update(definition, current, written);
};

const checkIdentity = (
  definition: ResourceDefinition,
  given: ObjectMeta,
  current: ObjectMeta,
  isReplacement: boolean,
): void => {
  const name = current.name ?? '';
  if (given.name !== name) {
    throw badRequest(
      given.name
        ? `the name of the object (${given.name}) does not match the name on the URL (${name})`
        : 'name must be provided',
    );
  }
  if (given.namespace && given.namespace !== current.namespace) throw namespaceMismatch();
  const version = given.resourceVersion;
  if (!version && !isReplacement) return;
  if (!version || version === '0') {
    if (definition.allowsUnconditionalUpdate) return;
    throw invalidObject(definition.group, definition.resource, name, [
      invalid('metadata.resourceVersion', 0, 'must be specified for an update'),
    ]);
  }
  if (!/^\d+$/.test(version)) throw internal(`strconv.ParseUint: parsing "${version}": invalid syntax`);
  if (isReplacement && given.uid && given.uid !== current.uid) {
    throw otherUid(definition, { namespace: current.namespace, name, asked: given.uid, actual: current.uid ?? '' });
  }
  if (version !== current.resourceVersion) throw modified(definition, name);
};

const counted = (
  { strategy }: ResourceDefinition,
  next: KubernetesObject,
  current: KubernetesObject,
): KubernetesObject =>
  strategy.startsGeneration?.(next, current)
    ? { ...next, metadata: { ...next.metadata, generation: (current.metadata.generation ?? 0) + 1 } }
    : next;

/** Deleted, its grace over, and nobody holds it any more. */
const isGone = ({ metadata, ...rest }: KubernetesObject): boolean =>
  metadata.deletionTimestamp !== undefined &&
  !metadata.deletionGracePeriodSeconds &&
  (metadata.finalizers ?? []).length === 0 &&
  !(rest.kind === 'Namespace' && listOf(objectOf(rest['spec'])['finalizers']).length > 0);
