import type { ContainerStatus, Pod } from '../../../../src/model/kubernetes.ts';
import type { Printer } from '../resources/definition.ts';
import { asPod } from '../resources/typed.ts';
import { ageOf, humanDuration } from './age.ts';
import { AGE, column, NAME, wide } from './columns.ts';

/** Pods as `printPod` of kubernetes/pkg/printers prints them. */
export const podPrinter: Printer = {
  columns: [
    NAME,
    column('Ready', 'The aggregate readiness state of this pod for accepting traffic.'),
    column('Status', 'The aggregate status of the containers in this pod.'),
    column(
      'Restarts',
      'The number of times the containers in this pod have been restarted and when the last container in this pod has restarted.',
    ),
    AGE,
    wide('IP', 'podIP address allocated to the pod.'),
    wide('Node', 'NodeName indicates in which node this pod is scheduled.'),
    wide('Nominated Node', 'nominatedNodeName is set only when this pod preempts other pods on the node.'),
    wide('Readiness Gates', 'If specified, all readiness gates will be evaluated for pod readiness.'),
  ],
  cells: (object, now) => {
    const pod = asPod(object);
    const summary = summaryOf(pod);
    return [
      pod.metadata?.name ?? '',
      `${summary.ready}/${summary.total}`,
      summary.status,
      restartsText(summary, now),
      ageOf(pod.metadata?.creationTimestamp, now),
      pod.status?.podIPs?.[0]?.ip ?? pod.status?.podIP ?? '<none>',
      pod.spec?.nodeName ?? '<none>',
      pod.status?.nominatedNodeName ?? '<none>',
      readinessGates(pod),
    ];
  },
};

interface Summary {
  readonly status: string;
  readonly ready: number;
  readonly total: number;
  readonly restarts: number;
  readonly lastRestart: number | undefined;
}

interface Tally {
  status: string;
  ready: number;
  restarts: number;
  lastRestart: number | undefined;
}

const summaryOf = (pod: Pod): Summary => {
  const sidecars = sidecarsOf(pod);
  const tally: Tally = {
    status: pod.status?.reason || pod.status?.phase || '',
    ready: 0,
    restarts: 0,
    lastRestart: undefined,
  };
  if (pod.status?.conditions?.some(({ type, reason }) => type === 'PodScheduled' && reason === 'SchedulingGated')) {
    tally.status = 'SchedulingGated';
  }
  const isInitializing = tallyInits(pod, sidecars, tally);
  if (!isInitializing || isInitialized(pod)) tallyContainers(pod, sidecars, tally);
  if (pod.metadata?.deletionTimestamp) {
    if (pod.status?.reason === 'NodeLost') tally.status = 'Unknown';
    else if (pod.status?.phase !== 'Failed' && pod.status?.phase !== 'Succeeded') tally.status = 'Terminating';
  }
  return { ...tally, total: (pod.spec?.containers.length ?? 0) + sidecars.size };
};

const sidecarsOf = (pod: Pod): ReadonlySet<string> =>
  new Set(pod.spec?.initContainers?.filter(({ restartPolicy }) => restartPolicy === 'Always').map(({ name }) => name));

const isInitialized = (pod: Pod): boolean =>
  pod.status?.conditions?.some(({ type, status }) => type === 'Initialized' && status === 'True') ?? false;

/** Is an init container still to be done? Counts restarts of the inits until then. */
const tallyInits = (pod: Pod, sidecars: ReadonlySet<string>, tally: Tally): boolean => {
  const statuses = pod.status?.initContainerStatuses ?? [];
  for (const [index, container] of statuses.entries()) {
    countRestarts(container, tally);
    const { terminated, waiting } = container.state ?? {};
    const isSidecar = sidecars.has(container.name);
    if (terminated?.exitCode === 0) continue;
    if (isSidecar && container.started) {
      if (container.ready) tally.ready += 1;
      continue;
    }
    if (terminated) {
      tally.status = `Init:${terminated.reason || exitText(terminated)}`;
    } else if (waiting?.reason && waiting.reason !== 'PodInitializing') {
      tally.status = `Init:${waiting.reason}`;
    } else {
      tally.status = `Init:${index}/${pod.spec?.initContainers?.length ?? statuses.length}`;
    }
    return true;
  }
  return false;
};

const tallyContainers = (pod: Pod, sidecars: ReadonlySet<string>, tally: Tally): void => {
  restartTally(pod, sidecars, tally);
  let hasRunning = false;
  for (const container of [...(pod.status?.containerStatuses ?? [])].reverse()) {
    countRestarts(container, tally);
    const { waiting, terminated, running } = container.state ?? {};
    if (waiting?.reason) tally.status = waiting.reason;
    else if (terminated) tally.status = terminated.reason || exitText(terminated);
    else if (container.ready && running) {
      hasRunning = true;
      tally.ready += 1;
    }
  }
  if (tally.status === 'Completed' && hasRunning) {
    const isReady = pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True');
    tally.status = isReady ? 'Running' : 'NotReady';
  }
};

/** Once the inits are done only restarts of sidecars among them still count. */
const restartTally = (pod: Pod, sidecars: ReadonlySet<string>, tally: Tally): void => {
  tally.restarts = 0;
  tally.lastRestart = undefined;
  for (const container of pod.status?.initContainerStatuses ?? []) {
    if (sidecars.has(container.name)) countRestarts(container, tally);
  }
};

const countRestarts = (container: ContainerStatus, tally: Tally): void => {
  tally.restarts += container.restartCount;
  const finishedAt = container.lastState?.terminated?.finishedAt;
  if (!finishedAt) return;
  tally.lastRestart = Math.max(tally.lastRestart ?? 0, Date.parse(finishedAt));
};

const exitText = ({ signal, exitCode }: { readonly signal?: number; readonly exitCode: number }): string =>
  signal ? `Signal:${signal}` : `ExitCode:${exitCode}`;

const restartsText = ({ restarts, lastRestart }: Summary, now: number): string =>
  restarts !== 0 && lastRestart !== undefined
    ? `${restarts} (${humanDuration(now - lastRestart)} ago)`
    : String(restarts);

const readinessGates = (pod: Pod): string => {
  const gates = pod.spec?.readinessGates ?? [];
  if (gates.length === 0) return '<none>';
  const isTrue = (type: string): boolean =>
    pod.status?.conditions?.some((condition) => condition.type === type && condition.status === 'True') ?? false;
  return `${gates.filter(({ conditionType }) => isTrue(conditionType)).length}/${gates.length}`;
};
