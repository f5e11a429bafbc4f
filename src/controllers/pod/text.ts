import type { Pod } from '../../model/kubernetes.ts';
import type { PodIdentity } from '../../model/pod-identity.ts';

/** `metav1.Time`: RFC 3339 in whole seconds. */
export const kubernetesTime = (ms: number): string => new Date(ms).toISOString().replace(/\.\d+Z$/, 'Z');

/** kubelet's name of a pod in messages: `web_default(9f1c…)`. */
export const kubeletPodName = ({ namespace, name, uid }: PodIdentity): string => `${name}_${namespace}(${uid})`;

/** A span as kubelet's pull events print it: milliseconds below one second, else seconds: `850ms`, `2.5s`. */
export const pullDuration = (ms: number): string =>
  ms < 1_000 ? `${Math.round(ms)}ms` : `${Number((ms / 1_000).toFixed(3))}s`;

/** @throws {TypeError} where the object has no name, namespace or UID: the server never answers such a pod. */
export const identityOf = (pod: Pod): PodIdentity => {
  const { namespace, name, uid } = pod.metadata ?? {};
  if (!namespace || !name || !uid) throw new TypeError('a pod without namespace, name or uid');
  return { namespace, name, uid };
};
