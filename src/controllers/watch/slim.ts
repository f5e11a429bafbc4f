import type { ObjectMeta } from '../../model/kubernetes.ts';

/** An object without the record of who set which field: nobody here reads it, and it is often the larger part. */
export const slim = <T extends { metadata?: ObjectMeta }>(object: T): T => {
  if (object.metadata?.managedFields === undefined) return object;
  const { managedFields: _managedFields, ...metadata } = object.metadata;
  return { ...object, metadata };
};
