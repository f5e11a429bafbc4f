import type { KubernetesObject } from '../model/object.ts';

/** The object's metadata alone, as `meta.k8s.io/v1` PartialObjectMetadata. */
export const partialMetadata = ({ metadata }: KubernetesObject): object => ({
  kind: 'PartialObjectMetadata',
  apiVersion: 'meta.k8s.io/v1',
  metadata,
});
