import { ignoreNotFound } from '../core/errors.ts';
import type { Pod } from '../model/kubernetes.ts';
import type { Workload, WorkloadContainer } from '../model/workload.ts';
import type { PodsApi } from '../ports/kubernetes.ts';
import type { PodStore } from '../ports/pod-store.ts';
import type { Provider } from '../ports/provider.ts';
import type { KubeletResponse } from './http.ts';
import { type KnownRun, runsOfRow, runsOfWorkloads } from './log-source.ts';
import { failure } from './responses.ts';
import type { StreamRoute } from './route.ts';

export interface SessionTargetDependencies {
  readonly node: string;
  readonly pods: Pick<PodsApi, 'get'>;
  readonly podStore: Pick<PodStore, 'get'>;
  readonly provider: Pick<Provider, 'find'>;
}

export type SessionTarget =
  | { readonly ok: true; readonly podUid: string; readonly workloadId: string }
  | { readonly ok: false; readonly refusal: KubeletResponse };

/**
 * The run of the pod that a session goes to. A pod that is bound to another node, or has another UID than the path names,
 * does not exist here; where the route names a container, that must run, else something of the pod. Refusals have
 * kubelet's texts (which answers 500 for the container), as whole Statuses: they are read on every path.
 */
export const findSessionTarget = async (
  { namespace, pod: name, uid, container }: StreamRoute,
  dependencies: SessionTargetDependencies,
  signal: AbortSignal,
): Promise<SessionTarget> => {
  const { node, pods, podStore, provider } = dependencies;
  const pod = await ignoreNotFound(pods.get(namespace, name, signal));
  const podUid = pod?.metadata?.uid;
  if (podUid === undefined || pod?.spec?.nodeName !== node || (uid !== undefined && uid !== podUid)) {
    return refused('pod does not exist');
  }
  const row = await podStore.get(podUid);
  const runs = row === undefined ? runsOfWorkloads(await provider.find(podUid, signal)) : runsOfRow(row);
  const run = runs.at(-1);
  if (container === undefined) {
    return run?.workloadId !== undefined && isUp(run.workload, pod)
      ? { ok: true, podUid, workloadId: run.workloadId }
      : refused(`pod ${JSON.stringify(name)} is not running`);
  }
  const found = run && containerOf(run, pod, container);
  return run?.workloadId !== undefined && found?.state === 'running'
    ? { ok: true, podUid, workloadId: run.workloadId }
    : refused(`container not found (${JSON.stringify(container)})${found ? `: ${STATES[found.state](found)}` : ''}`);
};

const refused = (message: string): SessionTarget => ({ ok: false, refusal: failure(404, 'NotFound', message) });

type Found = Pick<WorkloadContainer, 'state' | 'exitCode'>;

const STATES: Readonly<Record<WorkloadContainer['state'], (found: Found) => string>> = {
  waiting: () => 'it has not started yet',
  running: () => 'its run has no name yet',
  terminated: ({ exitCode }) => `it has ended${exitCode === undefined ? '' : ` with exit code ${exitCode}`}`,
};

/** A run that nobody has observed yet: the pod's own status may know more. */
const containerOf = ({ workload }: KnownRun, pod: Pod, container: string): Found | undefined => {
  if (workload !== undefined) {
    const found = workload.containers.find(({ name }) => name === container);
    if (found !== undefined) return found;
    return isInSpec(pod, container) ? { state: workload.phase === 'stopped' ? 'terminated' : 'waiting' } : undefined;
  }
  const state = [...(pod.status?.containerStatuses ?? []), ...(pod.status?.initContainerStatuses ?? [])].find(
    ({ name }) => name === container,
  )?.state;
  if (state?.running !== undefined) return { state: 'running' };
  return isInSpec(pod, container) ? { state: 'waiting' } : undefined;
};

const isInSpec = ({ spec }: Pod, container: string): boolean =>
  [...(spec?.containers ?? []), ...(spec?.initContainers ?? [])].some(({ name }) => name === container);

const isUp = (workload: Workload | undefined, pod: Pod): boolean =>
  workload === undefined
    ? pod.status?.phase === 'Running'
    : workload.containers.some(({ state }) => state === 'running') && workload.phase !== 'stopped';
