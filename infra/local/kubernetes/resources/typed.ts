import type { KubernetesEvent, Lease, Namespace, Node, Pod, Service } from '../../../../src/model/kubernetes.ts';
import type { JsonObject } from '../model/object.ts';

/*
 * Views of stored objects under their kinds' types. What is stored has passed the schema of its kind
 * (schema/decode.ts), which is the one the types were generated from: these are the only places that rely on it.
 */

export const asPod = (object: JsonObject): Pod => object;
export const asNode = (object: JsonObject): Node => object;
export const asLease = (object: JsonObject): Lease => object;
export const asEvent = (object: JsonObject): KubernetesEvent => object as unknown as KubernetesEvent;
export const asService = (object: JsonObject): Service => object;
export const asNamespace = (object: JsonObject): Namespace => object;
