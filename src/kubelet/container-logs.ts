import type { Clock } from '../core/clock.ts';
import { ignoreNotFound } from '../core/errors.ts';
import type { Pod } from '../model/kubernetes.ts';
import type { PodsApi } from '../ports/kubernetes.ts';
import type { PodStore } from '../ports/pod-store.ts';
import type { Provider } from '../ports/provider.ts';
import type { KubeletRequest, KubeletResponse } from './http.ts';
import { type LogOptions, parseLogOptions } from './log-options.ts';
import { chooseLogSource, type LogSource, runsOfRow, runsOfWorkloads } from './log-source.ts';
import { openStream } from './open-stream.ts';
import { text } from './responses.ts';
import type { Route } from './route.ts';

export interface ContainerLogsDependencies {
  readonly node: string;
  readonly pods: Pick<PodsApi, 'get'>;
  readonly podStore: Pick<PodStore, 'get'>;
  readonly provider: Pick<Provider, 'logs' | 'find'>;
  readonly clock: Clock;
}

type ContainerLogsRoute = Extract<Route, { kind: 'container-logs' }>;

/**
 * `GET /containerLogs/{namespace}/{pod}/{container}`. Checks in kubelet's order and with its texts: options (400, where
 * kubelet says 422 without a reason), the pod (404), the container (404), its state (400). A pod that is bound to another
 * node does not exist here.
 */
export const getContainerLogs = async (
  request: KubeletRequest,
  { namespace, pod: podName, container }: ContainerLogsRoute,
  dependencies: ContainerLogsDependencies,
): Promise<KubeletResponse> => {
  const { node, pods, provider, clock } = dependencies;
  const parsed = parseLogOptions(request.query, clock.now());
  if (!parsed.ok) return text(400, `invalid log options: ${parsed.problems.join('; ')}`);

  const pod = await ignoreNotFound(pods.get(namespace, podName, request.signal));
  const uid = pod?.metadata?.uid;
  if (pod === undefined || uid === undefined || pod.spec?.nodeName !== node) {
    return text(404, `pod ${JSON.stringify(podName)} does not exist`);
  }
  if (!hasContainer(pod, container)) {
    return text(404, `container ${JSON.stringify(container)} not found in pod ${JSON.stringify(podName)}`);
  }
  const { previous, ...options } = parsed.options;
  const source = await findLogSource(pod, uid, container, previous, request.signal, dependencies);
  if (!source.ok) return text(400, source.message);

  const { signal } = request;
  const log = provider.logs({ ...options, container, workloadId: source.workloadId }, signal);
  return {
    status: 200,
    headers: { 'content-type': 'text/plain' },
    body: await openStream(log, { clock, signal, waitMs: patienceOf(options) }),
  };
};

const FOLLOW_PATIENCE_MS = 1_000;

/** A log that is followed may stay silent for hours: its caller gets the headers soon, as kubelet's empty write does. */
const patienceOf = ({ follow }: Pick<LogOptions, 'follow'>): number | undefined =>
  follow ? FOLLOW_PATIENCE_MS : undefined;

const findLogSource = async (
  pod: Pod,
  uid: string,
  container: string,
  previous: boolean,
  signal: AbortSignal,
  { podStore, provider }: ContainerLogsDependencies,
): Promise<LogSource> => {
  const row = await podStore.get(uid);
  const runs = row === undefined ? runsOfWorkloads(await provider.find(uid, signal)) : runsOfRow(row);
  return chooseLogSource(pod, container, { previous, restarting: row?.state.backOff !== undefined }, runs);
};

const hasContainer = ({ spec }: Pod, container: string): boolean =>
  [...(spec?.containers ?? []), ...(spec?.initContainers ?? []), ...(spec?.ephemeralContainers ?? [])].some(
    ({ name }) => name === container,
  );
