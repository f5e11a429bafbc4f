import type { Node, NodeCondition, Taint } from '../../../../src/model/kubernetes.ts';
import type { Api } from '../api.ts';
import { type KubernetesObject, objectOf, sameJson } from '../model/object.ts';
import { nodes } from '../resources/nodes.ts';
import { asLease, asNode } from '../resources/typed.ts';
import { formatTime } from '../values/time.ts';
import { type EventText, recordEvent } from './event-recorder.ts';
import { Work } from './work.ts';

const GRACE_MS = 40_000;
const SWEEP_MS = 5_000;
const WATCHED = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'];
const PREFIX = 'node.kubernetes.io/';
const OWN_TAINTS = [
  'not-ready',
  'unreachable',
  'memory-pressure',
  'disk-pressure',
  'pid-pressure',
  'network-unavailable',
  'unschedulable',
];

/**
 * What the node lifecycle controller does to nodes: a node whose lease and status have been silent for 40 s becomes
 * Unknown, and conditions become taints. Pods are not evicted from such nodes.
 */
export class NodeLifecycle {
  readonly #api: Api;
  readonly #work: Work;
  readonly #lastSign = new Map<string, number>();

  constructor(api: Api) {
    this.#api = api;
    this.#work = new Work(() => this.#taintAll(), api.closing);
  }

  start(): void {
    const { store } = this.#api;
    store.listen('leases', ({ object, previous }) => {
      const { metadata, spec } = asLease(object);
      const before = previous ? asLease(previous).spec?.renewTime : undefined;
      if (metadata?.namespace === 'kube-node-lease' && spec?.renewTime !== before) this.#sign(metadata.name ?? '');
    });
    store.listen('nodes', ({ type, object, previous }) => {
      const name = object.metadata.name ?? '';
      if (type === 'DELETED') this.#lastSign.delete(name);
      else if (type === 'ADDED' || heartbeatOf(object) !== (previous ? heartbeatOf(previous) : undefined))
        this.#sign(name);
      if (type === 'ADDED') {
        const message = `Node ${name} event: Registered Node ${name} in Controller`;
        setImmediate(() => void this.#record(object, { type: 'Normal', reason: 'RegisteredNode', message }));
      }
      this.#work.wake();
    });
    this.#sweep().catch(() => undefined);
  }

  #sign(node: string): void {
    this.#lastSign.set(node, this.#api.clock.now());
  }

  async #sweep(): Promise<void> {
    const { clock, closing, store } = this.#api;
    while (!closing.aborted) {
      await clock.sleep(SWEEP_MS, closing);
      for (const { metadata } of store.list('nodes')) {
        const name = metadata.name ?? '';
        const node = store.get('nodes', undefined, name);
        const silentFor = clock.now() - (this.#lastSign.get(name) ?? 0);
        if (node && silentFor > GRACE_MS) await this.#markUnknown(node);
      }
    }
  }

  async #markUnknown(object: KubernetesObject): Promise<void> {
    const { status, metadata } = asNode(object);
    const now = formatTime(this.#api.clock.now());
    const conditions = status?.conditions ?? [];
    const unknown = WATCHED.map((type) =>
      unknownCondition(
        type,
        conditions.find((known) => known.type === type),
        now,
      ),
    );
    const others = conditions.filter(({ type }) => !WATCHED.includes(type));
    const next = [...others, ...unknown];
    if (WATCHED.every((type) => conditions.some((known) => known.type === type && known.status === 'Unknown'))) return;
    const name = metadata?.name ?? '';
    this.#api.store.update(nodes, object, { ...object, status: { ...objectOf(object['status']), conditions: next } });
    await this.#record(object, {
      type: 'Normal',
      reason: 'NodeNotReady',
      message: `Node ${name} status is now: NodeNotReady`,
    });
  }

  #taintAll(): void {
    for (const object of this.#api.store.list('nodes')) {
      const node = asNode(object);
      const before = node.spec?.taints ?? [];
      const after = withOwnTaints(node, before, formatTime(this.#api.clock.now()));
      if (sameJson(before, after)) continue;
      const { taints: _replaced, ...spec } = objectOf(object['spec']);
      const next = { ...object, spec: after.length > 0 ? { ...spec, taints: after } : spec };
      this.#api.store.update(nodes, object, next);
    }
  }

  #record(node: KubernetesObject, text: EventText): Promise<void> {
    const now = formatTime(this.#api.clock.now());
    return recordEvent(this.#api, node, text, {
      source: { component: 'node-controller' },
      reportingComponent: 'node-controller',
      firstTimestamp: now,
      lastTimestamp: now,
      count: 1,
    });
  }
}

const heartbeatOf = (object: KubernetesObject): string | undefined =>
  asNode(object).status?.conditions?.find(({ type }) => type === 'Ready')?.lastHeartbeatTime;

const unknownCondition = (type: string, known: NodeCondition | undefined, now: string): NodeCondition => ({
  ...known,
  type,
  status: 'Unknown',
  reason: known ? 'NodeStatusUnknown' : 'NodeStatusNeverUpdated',
  message: known ? 'Kubelet stopped posting node status.' : 'Kubelet never posted node status.',
  lastTransitionTime: known?.status === 'Unknown' ? (known.lastTransitionTime ?? now) : now,
});

/** The taints of others stay as they are; ours follow the conditions. */
const withOwnTaints = (node: Node, before: readonly Taint[], now: string): readonly Taint[] => {
  const wanted = ownTaints(node);
  const isOwn = ({ key }: Taint): boolean =>
    key !== undefined && key.startsWith(PREFIX) && OWN_TAINTS.includes(key.slice(PREFIX.length));
  const isSame = (left: Taint, right: Taint): boolean => left.key === right.key && left.effect === right.effect;
  const kept = before.filter((taint) => !isOwn(taint) || wanted.some((other) => isSame(taint, other)));
  const added = wanted.filter((taint) => !kept.some((other) => isSame(taint, other)));
  return [...kept, ...added.map((taint) => (taint.effect === 'NoExecute' ? { ...taint, timeAdded: now } : taint))];
};

const ownTaints = ({ spec, status }: Node): readonly Taint[] => {
  const stateOf = (type: string): string | undefined =>
    status?.conditions?.find((condition) => condition.type === type)?.status;
  const ready = stateOf('Ready');
  const taint = (name: string, effect: string): Taint => ({ key: `${PREFIX}${name}`, effect });
  const readiness = ready === 'True' ? undefined : ready === 'Unknown' ? 'unreachable' : 'not-ready';
  const pressures = [
    ['MemoryPressure', 'memory-pressure'],
    ['DiskPressure', 'disk-pressure'],
    ['PIDPressure', 'pid-pressure'],
    ['NetworkUnavailable', 'network-unavailable'],
  ] as const;
  return [
    ...(readiness
      ? [taint(readiness, 'NoSchedule'), ...(ready === undefined ? [] : [taint(readiness, 'NoExecute')])]
      : []),
    ...pressures.filter(([type]) => stateOf(type) === 'True').map(([, name]) => taint(name, 'NoSchedule')),
    ...(spec?.unschedulable ? [taint('unschedulable', 'NoSchedule')] : []),
  ];
};
