import { type FieldError, forbidden, invalid } from '../model/field-error.ts';
import { type JsonObject, type KubernetesObject, numberOf, objectOf, objectsOf, sameJson } from '../model/object.ts';

const FIXED =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)';

/** `ValidatePodUpdate`: of a pod's spec only images, the deadline and further tolerations may change. */
export const podUpdateErrors = (next: KubernetesObject, current: KubernetesObject): readonly FieldError[] => {
  const before = objectOf(current['spec']);
  const after = objectOf(next['spec']);
  return [
    ...deadlineErrors(before, after),
    ...tolerationErrors(before, after),
    ...(sameJson(changeable(after, before), before) ? [] : [forbidden('spec', FIXED)]),
  ];
};

/** `after` with everything that may change set back to what it was. */
const changeable = (after: JsonObject, before: JsonObject): JsonObject => ({
  ...after,
  ...images(after, before, 'containers'),
  ...images(after, before, 'initContainers'),
  activeDeadlineSeconds: before['activeDeadlineSeconds'],
  tolerations: before['tolerations'],
});

const images = (after: JsonObject, before: JsonObject, field: string): JsonObject => {
  if (after[field] === undefined) return {};
  const old = objectsOf(before[field]);
  return {
    [field]: objectsOf(after[field]).map((container, index) => ({ ...container, image: old[index]?.['image'] })),
  };
};

const deadlineErrors = (before: JsonObject, after: JsonObject): readonly FieldError[] => {
  const old = numberOf(before['activeDeadlineSeconds']);
  const asked = numberOf(after['activeDeadlineSeconds']);
  if (old === undefined) return [];
  if (asked === undefined)
    return [invalid('spec.activeDeadlineSeconds', null, 'must not update from a positive integer to nil value')];
  return asked > old
    ? [invalid('spec.activeDeadlineSeconds', asked, `must be less than or equal to previous value`)]
    : [];
};

const tolerationErrors = (before: JsonObject, after: JsonObject): readonly FieldError[] => {
  const asked = objectsOf(after['tolerations']);
  const isKept = objectsOf(before['tolerations']).every((old) =>
    asked.some((toleration) => sameJson({ ...toleration, tolerationSeconds: 0 }, { ...old, tolerationSeconds: 0 })),
  );
  return isKept
    ? []
    : [forbidden('spec.tolerations', 'existing toleration can not be modified except its tolerationSeconds')];
};
