import { sha256Hex } from '../../../core/digest.ts';
import type { KubernetesEvent } from '../../../model/kubernetes.ts';
import type { PodEvent } from '../../../model/pod-event.ts';
import type { PodIdentity } from '../../../model/pod-identity.ts';
import { kubernetesTime } from '../text.ts';

/** Longest message the API server takes. */
const MAX_MESSAGE = 1_024;

/**
 * The event as kubelet would send it. Its name follows from the pod's UID and the event's key: sent twice, the second one
 * is answered by 409 and nothing is doubled.
 */
export const kubernetesEvent = (pod: PodIdentity, node: string, event: PodEvent, now: number): KubernetesEvent => {
  const time = kubernetesTime(event.at ?? now);
  return {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: {
      namespace: pod.namespace,
      name: `${pod.name.slice(0, 220)}.${sha256Hex(`${pod.uid}/${event.key}`, 16)}`,
    },
    involvedObject: {
      apiVersion: 'v1',
      kind: 'Pod',
      namespace: pod.namespace,
      name: pod.name,
      uid: pod.uid,
      ...(event.container !== undefined && { fieldPath: `spec.containers{${event.container}}` }),
    },
    type: event.type,
    reason: event.reason,
    message: event.message.length > MAX_MESSAGE ? `${event.message.slice(0, MAX_MESSAGE - 1)}…` : event.message,
    source: { component: 'kubelet', host: node },
    reportingComponent: 'kubelet',
    reportingInstance: node,
    firstTimestamp: time,
    lastTimestamp: time,
    count: 1,
  };
};

/** An event on a node, in namespace `default` and with the node's name for its UID, as kubelet sends them. */
export const nodeEvent = (node: string, event: PodEvent, now: number): KubernetesEvent => {
  const {
    metadata,
    involvedObject: _pod,
    ...rest
  } = kubernetesEvent({ namespace: 'default', name: node, uid: node }, node, event, now);
  return { ...rest, metadata, involvedObject: { apiVersion: 'v1', kind: 'Node', name: node, uid: node } };
};

/** The keys to remember: those of attempts the row has dropped will never be asked for again. */
export const rememberedKeys = (keys: readonly string[], oldestAttempt: number): readonly string[] =>
  [...new Set(keys)].filter((key) => {
    const attempt = Number(key.slice(0, key.indexOf('/')));
    return attempt === 0 || attempt >= oldestAttempt;
  });
