import type { Clock } from '../core/clock.ts';
import type { PodsApi } from '../ports/kubernetes.ts';
import type { Logger } from '../ports/logger.ts';
import type { PodStore } from '../ports/pod-store.ts';
import type { Provider } from '../ports/provider.ts';
import { getContainerLogs } from './container-logs.ts';
import type { Gate } from './gate.ts';
import { getHealthz, type HealthCheck } from './healthz.ts';
import type { KubeletHandler, KubeletRequest, KubeletResponse } from './http.ts';
import { NodeUsage } from './node-usage.ts';
import { getPods, getRunningPods } from './pod-lists.ts';
import { getResourceMetrics } from './resource-metrics.ts';
import { errorResponse, text } from './responses.ts';
import { methodsOf, parseRoute, type Route } from './route.ts';
import { getStatsSummary } from './stats-summary.ts';
import { refuseStream } from './stream-refusal.ts';

export interface KubeletApiOptions {
  /** The node this endpoint speaks for: pods of other nodes do not exist here, and rights are asked for this one. */
  readonly node: string;
  readonly gate: Gate;
  readonly pods: Pick<PodsApi, 'get' | 'list'>;
  readonly podStore: Pick<PodStore, 'get' | 'knownPods'>;
  readonly provider: Pick<Provider, 'logs' | 'find' | 'list' | 'stats'>;
  readonly clock: Clock;
  readonly logger: Logger;
  /** What `/healthz` looks at besides answering. */
  readonly healthChecks?: readonly HealthCheck[];
}

/**
 * The kubelet API of one node. Nothing is looked up before the caller was admitted, unknown paths and wrong methods
 * included, as kubelet's filter does.
 */
export const createKubeletApi = (options: KubeletApiOptions): KubeletHandler => {
  const { gate, node, logger, clock } = options;
  const nodeUsage = new NodeUsage(clock.now());
  return async (request) => {
    const route = parseRoute(request.path);
    const admission = await gate.admit(request, route, node);
    if ('refusal' in admission) return admission.refusal;
    if (route === undefined) return text(400, 'malformed percent-encoding in the path');
    const methods = methodsOf(route);
    if (methods !== undefined && !methods.includes(request.method)) {
      return text(405, '405: Method Not Allowed', { allow: methods.join(', ') });
    }
    try {
      return await answer(request, route, { ...options, nodeUsage });
    } catch (error) {
      // A caller that has left is nobody's fault.
      if (!request.signal.aborted) logger.error('kubelet request failed', { route: route.kind, error });
      return errorResponse(error);
    }
  };
};

const answer = async (
  request: KubeletRequest,
  route: Route,
  options: KubeletApiOptions & { readonly nodeUsage: NodeUsage },
): Promise<KubeletResponse> => {
  switch (route.kind) {
    case 'container-logs':
      return getContainerLogs(request, route, options);
    case 'exec':
    case 'attach':
    case 'run':
    case 'port-forward':
      return refuseStream(route.kind, options.node);
    case 'pods':
      return getPods(request, options);
    case 'running-pods':
      return getRunningPods(request, options);
    case 'stats-summary':
      return getStatsSummary(request, options);
    case 'resource-metrics':
      return getResourceMetrics(request, options);
    case 'healthz':
      return getHealthz(request, route.check, options.healthChecks ?? [], options.logger);
    case 'system-logs':
      // kubelet's answer where its log handler is off. There is no machine whose logs could be shown.
      return text(405, 'logs endpoint is disabled.');
    case 'redirect':
      return text(301, '', { location: route.to });
    case 'unknown':
      return text(404, '404: Page Not Found');
    default:
      return route satisfies never;
  }
};
