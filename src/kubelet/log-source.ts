import type { Pod } from '../model/kubernetes.ts';
import type { PodRow } from '../model/pod-row.ts';
import type { Workload } from '../model/workload.ts';

/** One run of the pod as far as it is known; oldest first in lists. */
export interface KnownRun {
  readonly workloadId?: string;
  readonly workload?: Workload;
}

export type LogSource =
  | { readonly ok: true; readonly workloadId: string }
  | { readonly ok: false; readonly message: string };

/** The runs a row remembers. */
export const runsOfRow = (row: PodRow): readonly KnownRun[] =>
  row.state.attempts.map(({ workloadId }) => {
    if (workloadId === undefined) return {};
    const workload = row.observations[workloadId];
    return workload === undefined ? { workloadId } : { workloadId, workload };
  });

/** The runs a provider remembers, for a pod whose row is gone. */
export const runsOfWorkloads = (workloads: readonly Workload[]): readonly KnownRun[] =>
  [...workloads]
    .sort((a, b) => a.attempt - b.attempt || a.try - b.try)
    .map((workload) => ({ workloadId: workload.id, workload }));

/**
 * Which run's output is meant, by kubelet's validateContainerLogStatus: the newest one that has started; for `previous`
 * the one that ended before it, which is the newest itself while the container waits to be restarted. Refusals are
 * kubelet's texts (answered with 400). `restarting`: the next run is planned but not there yet.
 */
export const chooseLogSource = (
  pod: Pod,
  container: string,
  options: { readonly previous: boolean; readonly restarting: boolean },
  known: readonly KnownRun[],
): LogSource => {
  const subject = `container ${JSON.stringify(container)} in pod ${JSON.stringify(pod.metadata?.name ?? '')}`;
  const state = statusOf(pod, container)?.state;
  const runs = known.flatMap((run, index) => toRun(run, container, index === known.length - 1 ? state : undefined));
  const started = runs.filter((run): run is StartedRun => run.state !== 'waiting');
  const last = runs.at(-1);

  if (options.previous) {
    const awaitsRestart = options.restarting || state?.waiting !== undefined;
    const isItself = last?.state === 'waiting' || (last?.state === 'terminated' && awaitsRestart);
    const previous = started.at(isItself ? -1 : -2);
    return previous === undefined
      ? { ok: false, message: `previous terminated ${subject} not found` }
      : { ok: true, workloadId: previous.workloadId };
  }
  const current = started.at(-1);
  if (current !== undefined) return { ok: true, workloadId: current.workloadId };
  if (isOver(pod) || state?.running !== undefined || state?.terminated !== undefined) {
    return { ok: false, message: `${subject} is not available` };
  }
  const reason = state?.waiting?.reason ?? (last?.state === 'waiting' ? last.reason : undefined) ?? 'ContainerCreating';
  return { ok: false, message: `${subject} is waiting to start: ${WAITING[reason] ?? reason}` };
};

interface StartedRun {
  readonly state: 'running' | 'terminated';
  readonly workloadId: string;
}

type Run = StartedRun | { readonly state: 'waiting'; readonly reason?: string };

type ContainerStatuses = NonNullable<NonNullable<Pod['status']>['containerStatuses']>;

const WAITING: Readonly<Record<string, string>> = {
  ErrImagePull: "image can't be pulled",
  ImagePullBackOff: 'trying and failing to pull image',
};

/** None where the run does not hold this container: a restart leaves out what has completed. */
const toRun = (
  { workloadId, workload }: KnownRun,
  container: string,
  state: ContainerStatuses[number]['state'],
): readonly Run[] => {
  if (workloadId === undefined) return [{ state: 'waiting' }];
  if (workload === undefined) {
    // Nothing was observed of it yet; the pod's own status may know more.
    if (state?.running !== undefined) return [{ state: 'running', workloadId }];
    if (state?.terminated !== undefined) return [{ state: 'terminated', workloadId }];
    return [{ state: 'waiting' }];
  }
  if (workload.end?.kind === 'failed-to-start') return [{ state: 'waiting', reason: workload.end.reason }];
  const found = workload.containers.find(({ name }) => name === container);
  if (found === undefined) return workload.containers.length === 0 ? [{ state: 'waiting' }] : [];
  return found.state === 'waiting' ? [{ state: 'waiting' }] : [{ state: found.state, workloadId }];
};

const statusOf = (pod: Pod, container: string): ContainerStatuses[number] | undefined =>
  [
    ...(pod.status?.containerStatuses ?? []),
    ...(pod.status?.initContainerStatuses ?? []),
    ...(pod.status?.ephemeralContainerStatuses ?? []),
  ].find(({ name }) => name === container);

const isOver = (pod: Pod): boolean => pod.status?.phase === 'Succeeded' || pod.status?.phase === 'Failed';
