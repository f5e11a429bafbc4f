import type {
  KubernetesEvent,
  Lease,
  Namespace,
  Node,
  Pod,
  Secret,
  Service,
} from '../../../../src/model/kubernetes.ts';
import type { JsonObject } from '../model/object.ts';

/*
 * Views of stored objects under their kinds' types. What is stored has passed the schema of its kind
 * (schema/decode.ts), which is the one the types were generated from: these are the only places that rely on it.
 */

export const asPod = (object: JsonObject): Pod => object as unknown as Pod;
export const asNode = (object: JsonObject): Node => object as unknown as Node;
export const asLease = (object: JsonObject): Lease => object as unknown as Lease;
export const asEvent = (object: JsonObject): KubernetesEvent => object as unknown as KubernetesEvent;
export const asService = (object: JsonObject): Service => object as unknown as Service;
export const asSecret = (object: JsonObject): Secret => object as unknown as Secret;
export const asNamespace = (object: JsonObject): Namespace => object as unknown as Namespace;
