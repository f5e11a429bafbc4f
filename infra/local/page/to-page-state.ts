import type { KubernetesEvent, Lease, Node, Pod } from '../../../src/model/kubernetes.ts';
import { identityOf } from '../../../src/providers/fargate/tasks/task-identity.ts';
import type { TaskRecord } from '../aws/ecs/tasks/task-record.ts';
import type { EventView, NodeView, PageState, PodView } from './page-state.ts';
import { restartsOf, statusWordOf } from './pod-status-word.ts';
import { toTaskView } from './task-view.ts';

/** What the cluster says, as it was last heard. */
export interface ClusterView {
  readonly nodes: readonly Node[];
  readonly leases: readonly Lease[];
  /** Those of the nodes of this deployment. */
  readonly pods: readonly Pod[];
  readonly events: readonly KubernetesEvent[];
  readonly problem?: string;
}

interface Sources extends ClusterView {
  readonly runtime: string;
  readonly nodeNames: readonly string[];
  readonly tasks: readonly TaskRecord[];
  /** Names of pods by UID, those that are gone included. */
  readonly podNames: ReadonlyMap<string, string>;
}

const shownPods = 100;
const shownEvents = 100;

/** Puts together what the page shows. Pure. */
export const toPageState = (sources: Sources): PageState => {
  const pods = podViews(sources);
  return {
    runtime: sources.runtime,
    nodes: sources.nodeNames.map((name) => nodeView(name, sources)),
    pods: pods.slice(0, shownPods),
    hiddenPods: Math.max(0, pods.length - shownPods),
    events: sources.events
      .map(eventView)
      .sort((a, b) => b.at - a.at)
      .slice(0, shownEvents),
    ...(sources.problem !== undefined && { problem: sources.problem }),
  };
};

const nodeView = (name: string, { nodes, leases }: ClusterView): NodeView => {
  const node = nodes.find(({ metadata }) => metadata?.name === name);
  const lease = leases.find(({ metadata }) => metadata?.name === name)?.spec;
  const conditions = node?.status?.conditions ?? [];
  const ready = conditions.find(({ type }) => type === 'Ready')?.status;
  return {
    name,
    ready: !node ? 'missing' : ready === 'True' || ready === 'False' ? ready : 'Unknown',
    conditions: conditions.map(({ type, status, reason = '' }) => ({ type, status, reason })),
    ...(lease?.renewTime && { leaseRenewedAt: Date.parse(lease.renewTime) }),
    leaseSeconds: lease?.leaseDurationSeconds ?? 40,
    taints: (node?.spec?.taints ?? []).map(({ key, effect }) => `${key}:${effect}`),
  };
};

/** Pods of the nodes and whatever still has a task, the youngest first. */
const podViews = ({ pods, tasks, podNames }: Sources): readonly PodView[] => {
  const tasksOf = Map.groupBy(
    tasks.toSorted((a, b) => a.createdAt - b.createdAt),
    ({ startedBy, group }) => identityOf(startedBy, group)?.podUid ?? '',
  );
  const uids = new Set(pods.map(({ metadata }) => metadata?.uid ?? ''));
  const known = pods.map((pod) => {
    const uid = pod.metadata?.uid ?? '';
    const createdAt = Date.parse(String(pod.metadata?.creationTimestamp ?? 0));
    return { createdAt, view: podView(pod, tasksOf.get(uid) ?? []) };
  });
  const gone = [...tasksOf].flatMap(([uid, own]) => {
    if (uids.has(uid)) return [];
    const name = podNames.get(uid) ?? (uid === '' ? 'tasks of nobody' : uid);
    const view: PodView = { uid, name, node: '', status: 'gone', restarts: 0, tasks: own.map(toTaskView) };
    return [{ createdAt: own[0]?.createdAt ?? 0, view }];
  });
  return [...known, ...gone].sort((a, b) => b.createdAt - a.createdAt).map(({ view }) => view);
};

const podView = (pod: Pod, tasks: readonly TaskRecord[]): PodView => ({
  uid: pod.metadata?.uid ?? '',
  name: nameOf(pod),
  node: pod.spec?.nodeName ?? '',
  status: statusWordOf(pod),
  restarts: restartsOf(pod),
  tasks: tasks.map(toTaskView),
});

/** `namespace/name` */
export const nameOf = ({ metadata }: Pod): string => `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`;

const eventView = (event: KubernetesEvent): EventView => {
  const { type = 'Normal', reason = '', message = '', count = 1, involvedObject, metadata } = event;
  const at = event.lastTimestamp ?? event.eventTime ?? metadata.creationTimestamp;
  return {
    at: at ? Date.parse(at) : 0,
    type,
    reason,
    object: `${(involvedObject.kind ?? '').toLowerCase()}/${involvedObject.name ?? ''}`,
    message,
    count,
  };
};
