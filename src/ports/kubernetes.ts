import type {
  ConfigMap,
  KubernetesEvent,
  Lease,
  Namespace,
  Node,
  NodeStatus,
  Pod,
  PodMetadata,
  PodStatus,
  Secret,
  Service,
} from '../model/kubernetes.ts';
import type { PodIdentity } from '../model/pod-identity.ts';

/**
 * What the controllers ask of the API server. Every method rejects with an error of core/errors only: 404 is
 * NotFoundError, 409 ConflictError, 422 and 400 InvalidError, 401 and 403 PermanentError, 429 ThrottledError, the rest
 * TransientError.
 */
export interface PodsApi {
  get(namespace: string, name: string, signal: AbortSignal): Promise<Pod>;
  /** Pods bound to the node, metadata only. */
  listMetadata(node: string, signal: AbortSignal): Promise<readonly PodMetadata[]>;
  /** Pods bound to the node, whole. */
  list(node: string, signal: AbortSignal): Promise<readonly Pod[]>;
  /**
   * Strategic merge patch of `status`, bound to the pod's UID and to `resourceVersion`.
   * @throws {ConflictError} where the pod has moved on or is another one of the same name.
   */
  patchStatus(pod: PodIdentity, resourceVersion: string, status: StatusPatch, signal: AbortSignal): Promise<Pod>;
  /** DELETE with UID precondition. @throws {ConflictError} where another pod has the name now. */
  delete(pod: PodIdentity, options: { readonly graceSeconds: number }, signal: AbortSignal): Promise<void>;
}

/** A status with merge directives (`$patch`, `$setElementOrder/…`) where they are needed. */
export type StatusPatch = Partial<PodStatus> & Readonly<Record<string, unknown>>;

export interface NodesApi {
  get(name: string, signal: AbortSignal): Promise<Node>;
  create(node: Node, signal: AbortSignal): Promise<Node>;
  /**
   * Strategic merge patch of metadata and spec.
   * @throws {ConflictError} where `patch` names a resourceVersion and the node has moved on.
   */
  patch(name: string, patch: unknown, signal: AbortSignal): Promise<Node>;
  /** Strategic merge patch of the status sub-resource. */
  patchStatus(name: string, status: NodeStatusPatch, signal: AbortSignal): Promise<Node>;
  /** DELETE with UID precondition. @throws {ConflictError} where another node has the name now. */
  delete(node: { readonly name: string; readonly uid: string }, signal: AbortSignal): Promise<void>;
}

/** Fields of a NodeStatus, with merge directives (`$patch`) where they are needed. */
export type NodeStatusPatch = { readonly [K in keyof NodeStatus]?: unknown };

/** Leases of namespace kube-node-lease. Their times are MicroTimes: exactly six fractional digits. */
export interface LeasesApi {
  get(name: string, signal: AbortSignal): Promise<Lease>;
  create(lease: Lease, signal: AbortSignal): Promise<Lease>;
  /**
   * PUT with the resourceVersion in `lease`.
   * @throws {ConflictError} where it has moved on, or is gone and another has its name.
   */
  update(lease: Lease, signal: AbortSignal): Promise<Lease>;
  /**
   * Sets `spec.renewTime` by one JSON patch that needs no read before and holds only
   * while the lease is ours: `holder` holds it and its annotations contain `owner`.
   * @throws {ConflictError} where it is somebody else's. @throws {NotFoundError} where there is none.
   */
  renew(name: string, renewal: LeaseRenewal, signal: AbortSignal): Promise<Lease>;
}

export interface LeaseRenewal {
  /** MicroTime. */
  readonly renewTime: string;
  readonly holder: string;
  readonly owner: { readonly annotation: string; readonly value: string };
  /** Set along with it. */
  readonly annotations: Readonly<Record<string, string>>;
}

export interface EventsApi {
  create(event: KubernetesEvent, signal: AbortSignal): Promise<void>;
}

/** What a pod's environment refers to. */
export interface SourcesApi {
  configMap(namespace: string, name: string, signal: AbortSignal): Promise<ConfigMap>;
  secret(namespace: string, name: string, signal: AbortSignal): Promise<Secret>;
  services(namespace: string, signal: AbortSignal): Promise<readonly Service[]>;
  service(namespace: string, name: string, signal: AbortSignal): Promise<Service>;
}

export interface ClusterApi {
  namespace(name: string, signal: AbortSignal): Promise<Namespace>;
  /** `gitVersion` of the server: `v1.36.3`, `v1.33.1+k3s1`, `v1.34.2-eks-1a2b3c4`. */
  version(signal: AbortSignal): Promise<string>;
}

export interface AccessApi {
  /** TokenReview. `undefined`: the token is not valid. */
  reviewToken(token: string, signal: AbortSignal): Promise<UserInfo | undefined>;
  /** SubjectAccessReview. */
  reviewAccess(user: UserInfo, attributes: AccessAttributes, signal: AbortSignal): Promise<boolean>;
}

export interface UserInfo {
  readonly username: string;
  readonly uid?: string;
  readonly groups: readonly string[];
  readonly extra?: Readonly<Record<string, readonly string[]>>;
}

export interface AccessAttributes {
  readonly verb: string;
  readonly resource: string;
  readonly subresource?: string;
  readonly namespace?: string;
  readonly name?: string;
}

/** One API server, whole. */
export interface Kubernetes {
  readonly pods: PodsApi;
  readonly nodes: NodesApi;
  readonly leases: LeasesApi;
  readonly events: EventsApi;
  readonly sources: SourcesApi;
  readonly cluster: ClusterApi;
  readonly access: AccessApi;
}
