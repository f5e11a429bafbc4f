import type {
  CoreV1Event,
  V1ConfigMap,
  V1Container,
  V1ContainerState,
  V1ContainerStatus,
  V1Lease,
  V1Namespace,
  V1Node,
  V1NodeCondition,
  V1NodeStatus,
  V1ObjectMeta,
  V1Pod,
  V1PodCondition,
  V1PodSpec,
  V1PodStatus,
  V1Secret,
  V1Service,
  V1Taint,
} from '@kubernetes/client-node';

/**
 * client-node's types as they stand in JSON: its models hold `Date`, the wire holds RFC 3339 strings. We read and write
 * the wire, so that fields these types do not know survive.
 */
export type Json<T> = T extends Date
  ? string
  : T extends readonly (infer U)[]
    ? Json<U>[]
    : T extends object
      ? { [K in keyof T]: Json<T[K]> }
      : T;

export type Pod = Json<V1Pod>;
export type PodSpec = Json<V1PodSpec>;
export type PodStatus = Json<V1PodStatus>;
export type PodCondition = Json<V1PodCondition>;
export type Container = Json<V1Container>;
export type ContainerStatus = Json<V1ContainerStatus>;
export type ContainerState = Json<V1ContainerState>;
export type ObjectMeta = Json<V1ObjectMeta>;
export type Node = Json<V1Node>;
export type NodeStatus = Json<V1NodeStatus>;
export type NodeCondition = Json<V1NodeCondition>;
export type Taint = Json<V1Taint>;
export type Lease = Json<V1Lease>;
export type KubernetesEvent = Json<CoreV1Event>;
export type ConfigMap = Json<V1ConfigMap>;
export type Secret = Json<V1Secret>;
export type Service = Json<V1Service>;
export type Namespace = Json<V1Namespace>;

/** A pod as lists of metadata show it (`PartialObjectMetadata`). */
export interface PodMetadata {
  readonly metadata: ObjectMeta;
}
