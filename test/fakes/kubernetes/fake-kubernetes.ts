import type { Clock } from '../../../src/core/clock.ts';
import type {
  ConfigMap,
  KubernetesEvent,
  Lease,
  Namespace,
  Node,
  Pod,
  Secret,
  Service,
} from '../../../src/model/kubernetes.ts';
import type {
  AccessApi,
  AccessAttributes,
  ClusterApi,
  EventsApi,
  Kubernetes,
  LeasesApi,
  NodesApi,
  PodsApi,
  SourcesApi,
  UserInfo,
} from '../../../src/ports/kubernetes.ts';
import { FakeClock, SeededRandom } from '../clock.ts';
import { type Call, CallLog, type Method } from './call-log.ts';
import { type Change, Collection, type ServerClock } from './collection.ts';
import { FakeLeases, FakeNodes } from './fake-nodes.ts';
import { FakePods } from './fake-pods.ts';
import { createdPod } from './pod-defaults.ts';
import { boundPod } from './pod-rules.ts';

/**
 * An API server in memory behind the Kubernetes port: it keeps state, and refuses what the real one refuses. Everything
 * under "the world" acts as other clients would and is not recorded in `calls`.
 */
export class FakeKubernetes implements Kubernetes {
  readonly pods: PodsApi;
  readonly nodes: NodesApi;
  readonly leases: LeasesApi;
  readonly events: EventsApi & Iterable<KubernetesEvent> & { readonly list: KubernetesEvent[] };
  readonly sources: SourcesApi;
  readonly cluster: ClusterApi;
  readonly access: AccessApi;

  readonly #log = new CallLog();
  readonly #server: ServerClock;
  readonly #pods: Collection<Pod>;
  readonly #fakePods: FakePods;
  readonly #nodes: Collection<Node>;
  readonly #leases: Collection<Lease>;
  readonly #configMaps: Collection<ConfigMap>;
  readonly #secrets: Collection<Secret>;
  readonly #services: Collection<Service>;
  readonly #namespaces: Collection<Namespace>;
  readonly #tokens = new Map<string, UserInfo>();
  #version = 'v1.36.3';
  #allows: (user: UserInfo, attributes: AccessAttributes) => boolean = () => false;

  constructor({ clock = new FakeClock(), seed = 1 }: { readonly clock?: Clock; readonly seed?: number } = {}) {
    const server = serverClock(clock, new SeededRandom(seed));
    this.#server = server;
    this.#pods = new Collection<Pod>('pods', server);
    this.#nodes = new Collection<Node>('nodes', server);
    this.#leases = new Collection<Lease>('leases.coordination.k8s.io', server);
    this.#configMaps = new Collection<ConfigMap>('configmaps', server);
    this.#secrets = new Collection<Secret>('secrets', server);
    this.#services = new Collection<Service>('services', server);
    this.#namespaces = new Collection<Namespace>('namespaces', server);
    for (const name of ['default', 'kube-system', 'kube-node-lease']) this.putNamespace(name);

    this.#fakePods = new FakePods(this.#pods, server, this.#log);
    this.pods = this.#fakePods;
    this.nodes = new FakeNodes(this.#nodes, this.#log);
    this.leases = new FakeLeases(this.#leases, this.#log);
    this.events = new FakeEvents(new Collection<KubernetesEvent>('events', server), this.#log);
    const read = <T>(method: Method, args: readonly unknown[], signal: AbortSignal, act: () => T): Promise<T> =>
      this.#log.run(method, args, signal, act);
    this.sources = {
      configMap: (ns, name, signal) =>
        read('sources.configMap', [ns, name], signal, () => this.#configMaps.get(ns, name)),
      secret: (ns, name, signal) => read('sources.secret', [ns, name], signal, () => this.#secrets.get(ns, name)),
      services: (ns, signal) =>
        read('sources.services', [ns], signal, () =>
          this.#services.list().filter(({ metadata }) => metadata?.namespace === ns),
        ),
      service: (ns, name, signal) => read('sources.service', [ns, name], signal, () => this.#services.get(ns, name)),
    };
    this.cluster = {
      namespace: (name, signal) => read('cluster.namespace', [name], signal, () => this.#namespaces.get('', name)),
      version: (signal) => read('cluster.version', [], signal, () => this.#version),
    };
    this.access = {
      reviewToken: (token, signal) => read('access.reviewToken', [], signal, () => this.#tokens.get(token)),
      reviewAccess: (user, attributes, signal) =>
        read('access.reviewAccess', [user, attributes], signal, () => this.#allows(user, attributes)),
    };
  }

  // Faults and records

  /** Every call of the port so far. */
  get calls(): readonly Call[] {
    return this.#log.calls;
  }

  /** How often `method` was called: `leases.renew`. */
  count(method: Method): number {
    return this.#log.calls.filter((call) => call.method === method).length;
  }

  clearCalls(): void {
    this.#log.calls.length = 0;
  }

  /** The next call of `method` is rejected, `before` it has any effect or `after` (an answer that got lost). */
  failNext(method: Method, error: Error, when: 'before' | 'after' = 'before'): void {
    this.#log.addFault(method, { kind: 'fail', error, when });
  }

  /** The next call of `method` is never answered: it ends when its signal aborts. */
  hangNext(method: Method): void {
    this.#log.addFault(method, { kind: 'hang' });
  }

  /** `hook` runs before every call of the port; it may throw, wait, or change the world. */
  beforeEach(hook: (call: Call) => void | Promise<void>): void {
    this.#log.addHook(hook);
  }

  /** `listener` hears of every change of a pod, as a watch or an admission webhook would. */
  onPod(listener: (change: Change, pod: Pod) => void): void {
    this.#pods.listen(listener);
  }

  // The world: pods

  /** POST; namespace `default` where it has none. With `spec.nodeName` it is bound from the start. */
  addPod(pod: Pod): Pod {
    return this.#pods.create(createdPod(pod));
  }

  bindPod(namespace: string, name: string, node: string): Pod {
    return this.#pods.write(namespace, name, (pod) => boundPod(pod, node, this.#server.timestamp()));
  }

  /** DELETE as kubectl sends it; the pod's own grace period where `graceSeconds` is left out. */
  deletePod(namespace: string, name: string, graceSeconds?: number): void {
    this.#fakePods.remove({ namespace, name }, graceSeconds);
  }

  updatePod(namespace: string, name: string, change: (pod: Pod) => Pod): Pod {
    const pod = this.#pods.write(namespace, name, change);
    const { deletionTimestamp, deletionGracePeriodSeconds, finalizers } = pod.metadata ?? {};
    if (deletionTimestamp && deletionGracePeriodSeconds === 0 && !finalizers?.length)
      this.#pods.remove(namespace, name);
    return pod;
  }

  /** What is stored, without a call being recorded. */
  findPod(namespace: string, name: string): Pod | undefined {
    return this.#pods.find(namespace, name);
  }

  allPods(): readonly Pod[] {
    return this.#pods.list();
  }

  // The world: nodes and leases

  addNode(node: Node): Node {
    return this.#nodes.create({ apiVersion: 'v1', kind: 'Node', ...node });
  }

  findNode(name: string): Node | undefined {
    return this.#nodes.find('', name);
  }

  updateNode(name: string, change: (node: Node) => Node): Node {
    return this.#nodes.write('', name, change);
  }

  /** The garbage collector takes the lease the node owned with it. */
  deleteNode(name: string): void {
    const uid = this.findNode(name)?.metadata?.uid;
    this.#nodes.remove('', name);
    const owners = this.findLease(name)?.metadata?.ownerReferences ?? [];
    if (owners.some((owner) => owner.uid === uid)) this.deleteLease(name);
  }

  addLease(lease: Lease): Lease {
    return this.#leases.create({ ...lease, metadata: { ...lease.metadata, namespace: 'kube-node-lease' } });
  }

  findLease(name: string): Lease | undefined {
    return this.#leases.find('kube-node-lease', name);
  }

  updateLease(name: string, change: (lease: Lease) => Lease): Lease {
    return this.#leases.write('kube-node-lease', name, change);
  }

  deleteLease(name: string): void {
    this.#leases.remove('kube-node-lease', name);
  }

  // The world: what pods refer to

  putConfigMap(
    namespace: string,
    name: string,
    data: Record<string, string>,
    binaryData?: Record<string, string>,
  ): void {
    put(this.#configMaps, { metadata: { namespace, name }, data, ...(binaryData && { binaryData }) });
  }

  /** `data` in plain text; it is stored in base64, as the server answers it. */
  putSecret(namespace: string, name: string, data: Record<string, string>, type = 'Opaque'): void {
    const encoded = Object.entries(data).map(([key, value]) => [key, Buffer.from(value).toString('base64')] as const);
    put(this.#secrets, { metadata: { namespace, name }, type, data: Object.fromEntries(encoded) });
  }

  putService(service: Service): void {
    put(this.#services, { ...service, metadata: { namespace: 'default', ...service.metadata } });
  }

  deleteConfigMap(namespace: string, name: string): void {
    this.#configMaps.remove(namespace, name);
  }

  deleteSecret(namespace: string, name: string): void {
    this.#secrets.remove(namespace, name);
  }

  putNamespace(name: string, uid?: string): void {
    if (this.#namespaces.find('', name)) this.#namespaces.remove('', name);
    this.#namespaces.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, ...(uid && { uid }) } });
  }

  putVersion(version: string): void {
    this.#version = version;
  }

  // The world: who may do what

  putToken(token: string, user: UserInfo): void {
    this.#tokens.set(token, user);
  }

  allowAccess(allows: (user: UserInfo, attributes: AccessAttributes) => boolean): void {
    this.#allows = allows;
  }
}

/** Events as recorded; iterable, so that a test can spread them. */
class FakeEvents implements EventsApi {
  readonly list: KubernetesEvent[] = [];
  readonly #collection: Collection<KubernetesEvent>;
  readonly #log: CallLog;

  constructor(collection: Collection<KubernetesEvent>, log: CallLog) {
    this.#collection = collection;
    this.#log = log;
  }

  create(event: KubernetesEvent, signal: AbortSignal): Promise<void> {
    return this.#log.run('events.create', [event], signal, () => {
      this.list.push(this.#collection.create(event));
    });
  }

  [Symbol.iterator](): Iterator<KubernetesEvent> {
    return this.list[Symbol.iterator]();
  }
}

const put = <T extends { metadata?: { namespace?: string; name?: string } }>(
  collection: Collection<T>,
  object: T,
): void => {
  const { namespace = '', name = '' } = object.metadata ?? {};
  if (collection.find(namespace, name)) collection.write(namespace, name, () => object);
  else collection.create(object);
};

const serverClock = (clock: Clock, random: SeededRandom): ServerClock => {
  let version = 0;
  return {
    nextVersion: () => String(++version),
    uuid: () => random.uuid(),
    timestamp: (offsetSeconds = 0) =>
      new Date(clock.now() + offsetSeconds * 1_000).toISOString().replace(/\.\d+Z$/, 'Z'),
  };
};
