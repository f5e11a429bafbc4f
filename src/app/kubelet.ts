import type { Endpoint } from '../config/environment.ts';
import { Gate } from '../kubelet/gate.ts';
import type { KubeletHandler, KubeletRequest, KubeletResponse } from '../kubelet/http.ts';
import { createKubeletApi } from '../kubelet/kubelet-api.ts';
import type { Provider } from '../ports/provider.ts';
import type { ClusterSession } from './cluster-session.ts';
import type { Foundation } from './foundation.ts';

/** The heartbeat's schedule. */
const STATUS_UPDATE_MS = 60_000;

/** The kubelet API of every node of the deployment, by node name. One gate, so that its caches serve all of them. */
export const createKubelets = (
  { clock, logger, environment }: Foundation,
  { kubernetes, podStore }: ClusterSession,
  provider: Provider,
): ReadonlyMap<string, KubeletHandler> => {
  const gate = new Gate({ access: kubernetes.access, clock, logger });
  return new Map(
    environment.settings.nodes.map(({ name: node, capacity }) => {
      const configuration = { anonymous: false, statusUpdateMs: STATUS_UPDATE_MS, maxPods: Number(capacity['pods']) };
      const { pods } = kubernetes;
      return [node, createKubeletApi({ node, gate, pods, podStore, provider, clock, logger, configuration })];
    }),
  );
};

/** Asks the kubelet whose endpoint the request was sent to; an only one is asked whatever it was called. */
export const kubeletAt = async (
  { environment }: Foundation,
  kubelets: ReadonlyMap<string, KubeletHandler>,
  request: KubeletRequest,
): Promise<KubeletResponse> => {
  const node = request.node ?? nodeAt(environment.kubeletEndpoints, request.headers['host']);
  const [only, ...others] = kubelets.values();
  const kubelet = (node !== undefined && kubelets.get(node)) || (others.length === 0 ? only : undefined);
  return kubelet?.(request) ?? NO_NODE;
};

const nodeAt = (endpoints: Readonly<Record<string, Endpoint>>, host: string | undefined): string | undefined =>
  Object.entries(endpoints).find(
    ([, endpoint]) =>
      host?.toLowerCase() === `${endpoint.host}:${endpoint.port}` ||
      (endpoint.port === 443 && host?.toLowerCase() === endpoint.host),
  )?.[0];

const NO_NODE: KubeletResponse = {
  status: 404,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body: 'no node of this deployment has this address',
};
