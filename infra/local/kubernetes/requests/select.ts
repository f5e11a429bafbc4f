import type { KubernetesObject } from '../model/object.ts';
import { badRequest } from '../model/status.ts';
import type { ResourceDefinition } from '../resources/definition.ts';
import { parseFieldSelector } from '../select/fields.ts';
import { parseLabelSelector, SelectorError } from '../select/labels.ts';
import type { ListOptions } from './options.ts';

export type ObjectSelector = (object: KubernetesObject) => boolean;

/** Both selectors of a list or watch as one predicate. @throws {ApiError} 400 where one cannot be read. */
export const objectSelector = (
  definition: ResourceDefinition,
  { labelSelector, fieldSelector }: Pick<ListOptions, 'labelSelector' | 'fieldSelector'>,
): ObjectSelector => {
  try {
    const matchesLabels = parseLabelSelector(labelSelector);
    const matchesFields = parseFieldSelector(fieldSelector, definition.fields);
    return (object) => matchesLabels(object.metadata.labels ?? {}) && matchesFields(object);
  } catch (error) {
    if (error instanceof SelectorError) throw badRequest(error.message);
    throw error;
  }
};
