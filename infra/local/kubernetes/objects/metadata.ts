import type { ObjectMeta } from '../../../../src/model/kubernetes.ts';
import type { Api } from '../api.ts';
import { type FieldError, forbidden, invalid, required } from '../model/field-error.ts';
import { generatedName } from '../model/names.ts';
import { type KubernetesObject, withoutUndefined } from '../model/object.ts';
import type { ResourceDefinition } from '../resources/definition.ts';
import { labelValueFaults, qualifiedNameFaults } from '../values/names.ts';
import { formatTime } from '../values/time.ts';

const STANDARD_FINALIZERS = ['orphan', 'foregroundDeletion', 'kubernetes'];

/** Metadata of a new object: the server's own fields are the server's, whatever the client sent. */
export const newMetadata = (
  given: ObjectMeta,
  namespace: string | undefined,
  hasGeneration: boolean,
  { clock, random }: Pick<Api, 'clock' | 'random'>,
): ObjectMeta =>
  withoutUndefined<ObjectMeta>({
    ...given,
    name: given.name || (given.generateName ? generatedName(given.generateName, random) : ''),
    namespace,
    uid: random.uuid(),
    resourceVersion: undefined,
    generation: hasGeneration ? 1 : undefined,
    creationTimestamp: formatTime(clock.now()),
    deletionTimestamp: undefined,
    deletionGracePeriodSeconds: undefined,
    managedFields: undefined,
    selfLink: undefined,
  });

/** Metadata of a write: labels, annotations, finalizers and owners are the client's, the rest stays. */
export const nextMetadata = (given: ObjectMeta, current: ObjectMeta): ObjectMeta =>
  withoutUndefined<ObjectMeta>({
    ...given,
    name: current.name,
    generateName: current.generateName,
    namespace: current.namespace,
    uid: current.uid,
    resourceVersion: current.resourceVersion,
    generation: current.generation,
    creationTimestamp: current.creationTimestamp,
    deletionTimestamp: current.deletionTimestamp,
    deletionGracePeriodSeconds: current.deletionGracePeriodSeconds,
    managedFields: undefined,
    selfLink: undefined,
  });

/** `ValidateObjectMeta` of apimachinery. */
export const metadataErrors = (
  { metadata }: KubernetesObject,
  { nameFaults }: ResourceDefinition,
): readonly FieldError[] => [
  ...(metadata.name
    ? nameFaults(metadata.name).map((fault) => invalid('metadata.name', metadata.name, fault))
    : [required('metadata.name', 'name or generateName is required')]),
  ...labelErrors(metadata.labels ?? {}),
  ...Object.keys(metadata.annotations ?? {}).flatMap((key) =>
    qualifiedNameFaults(key.toLowerCase()).map((fault) => invalid('metadata.annotations', key, fault)),
  ),
  ...(metadata.finalizers ?? []).flatMap((finalizer, index) => finalizerErrors(finalizer, index)),
  ...(metadata.ownerReferences ?? []).flatMap((owner, index) =>
    (['apiVersion', 'kind', 'name', 'uid'] as const)
      .filter((field) => !owner[field])
      .map((field) => invalid(`metadata.ownerReferences[${index}].${field}`, '', 'must not be empty')),
  ),
];

/** Fields of metadata that a write may not change, and finalizers that come too late. */
export const metadataUpdateErrors = (given: ObjectMeta, current: ObjectMeta): readonly FieldError[] => {
  const added = (given.finalizers ?? []).filter((finalizer) => !current.finalizers?.includes(finalizer));
  return [
    ...(given.uid && given.uid !== current.uid ? [invalid('metadata.uid', given.uid, 'field is immutable')] : []),
    ...(current.deletionTimestamp && added.length > 0
      ? [
          forbidden(
            'metadata.finalizers',
            `no new finalizers can be added if the object is being deleted, found new finalizers []string{${added.map((name) => `"${name}"`).join(', ')}}`,
          ),
        ]
      : []),
  ];
};

const labelErrors = (labels: Readonly<Record<string, string>>): readonly FieldError[] =>
  Object.entries(labels).flatMap(([key, value]) => [
    ...qualifiedNameFaults(key).map((fault) => invalid('metadata.labels', key, fault)),
    ...labelValueFaults(value).map((fault) => invalid('metadata.labels', value, fault)),
  ]);

const finalizerErrors = (finalizer: string, index: number): readonly FieldError[] => {
  const path = `metadata.finalizers[${index}]`;
  const faults = qualifiedNameFaults(finalizer);
  if (faults.length > 0) return faults.map((fault) => invalid(path, finalizer, fault));
  return finalizer.includes('/') || STANDARD_FINALIZERS.includes(finalizer)
    ? []
    : [invalid(path, finalizer, 'name is neither a standard finalizer name nor is it fully qualified')];
};
