import type { Clock } from '../core/clock.ts';
import type { PodsApi } from '../ports/kubernetes.ts';
import type { Logger } from '../ports/logger.ts';
import type { PodStore } from '../ports/pod-store.ts';
import type { Provider } from '../ports/provider.ts';
import type { Caller } from './caller.ts';
import { getConfigz, type KubeletConfiguration } from './configz.ts';
import { getContainerLogs } from './container-logs.ts';
import { openExecSession, SESSION } from './exec-session.ts';
import type { Gate } from './gate.ts';
import { getHealthz, type HealthCheck } from './healthz.ts';
import type { KubeletHandler, KubeletRequest, KubeletResponse } from './http.ts';
import { getCadvisorMetrics, getNodeMetrics, getProbeMetrics, type ProcessMetrics } from './node-metrics.ts';
import { NodeUsage } from './node-usage.ts';
import { getPods, getRunningPods } from './pod-lists.ts';
import { startPortForward } from './port-forward.ts';
import { startRemoteCommand } from './remote-command.ts';
import { getResourceMetrics } from './resource-metrics.ts';
import { errorResponse, text } from './responses.ts';
import { methodsOf, parseRoute, type Route, type SessionRoute } from './route.ts';
import { runCommand } from './run-command.ts';
import { giveSessionKey, SESSION_KEY } from './session-key.ts';
import { getStatsSummary } from './stats-summary.ts';
import { refuseStream } from './stream-refusal.ts';
import type { KubeletUpgrade, UpgradeHandler } from './upgrade.ts';

export interface KubeletApiOptions {
  /** The node this endpoint speaks for: pods of other nodes do not exist here, and rights are asked for this one. */
  readonly node: string;
  readonly gate: Gate;
  readonly pods: Pick<PodsApi, 'get' | 'list'>;
  readonly podStore: Pick<PodStore, 'get' | 'knownPods'>;
  readonly provider: Pick<
    Provider,
    'name' | 'logs' | 'find' | 'list' | 'stats' | 'exec' | 'attach' | 'connect' | 'openSession' | 'sessionKey'
  >;
  readonly clock: Clock;
  readonly logger: Logger;
  /** What `/healthz` looks at besides answering. */
  readonly healthChecks?: readonly HealthCheck[];
  /** What `/metrics` shows; without it there is little to show. */
  readonly processMetrics?: ProcessMetrics;
  /** What `/configz` shows. */
  readonly configuration: KubeletConfiguration;
}

/**
 * The kubelet API of one node, where connections cannot be upgraded. Nothing is looked up before the caller was admitted,
 * unknown paths and wrong methods included, as kubelet's filter does.
 */
export const createKubeletApi = (options: KubeletApiOptions): KubeletHandler =>
  createApi(options, async (_request, route) => refuseStream(route.kind, options.node));

/** The same where they can: exec, attach and port-forward answer what shall run on the connection. */
export const createUpgradingKubeletApi = (options: KubeletApiOptions): UpgradeHandler =>
  createApi<KubeletUpgrade>(options, (request, route, caller) =>
    route.kind === 'port-forward'
      ? startPortForward(request, route, caller, options)
      : startRemoteCommand(request, route, caller, options),
  );

type SessionAnswer<Upgrade> = (
  request: KubeletRequest,
  route: SessionRoute,
  caller: Caller,
) => Promise<KubeletResponse | Upgrade>;

const createApi = <Upgrade = never>(
  options: KubeletApiOptions,
  answerSession: SessionAnswer<Upgrade>,
): ((request: KubeletRequest) => Promise<KubeletResponse | Upgrade>) => {
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
      if (route.kind === 'exec' && asksFor(SESSION, request))
        return await openExecSession(request, route, admission.caller, options);
      if (route.kind === 'exec' && asksFor(SESSION_KEY, request))
        return await giveSessionKey(request, route, admission.caller, options);
      if (isSession(route)) return await answerSession(request, route, admission.caller);
      return await answer(request, route, admission.caller, { ...options, nodeUsage });
    } catch (error) {
      // A caller that has left is nobody's fault.
      if (!request.signal.aborted) logger.error('kubelet request failed', { route: route.kind, error });
      return errorResponse(error);
    }
  };
};

const asksFor = (mediaType: string, { method, headers }: KubeletRequest): boolean =>
  method === 'POST' && (headers['accept'] ?? '').split(',').some((type) => type.split(';')[0]?.trim() === mediaType);

const isSession = (route: Route): route is SessionRoute =>
  route.kind === 'exec' || route.kind === 'attach' || route.kind === 'port-forward';

const answer = async (
  request: KubeletRequest,
  route: Exclude<Route, SessionRoute>,
  caller: Caller,
  options: KubeletApiOptions & { readonly nodeUsage: NodeUsage },
): Promise<KubeletResponse> => {
  switch (route.kind) {
    case 'container-logs':
      return getContainerLogs(request, route, options);
    case 'run':
      return runCommand(request, route, caller, options);
    case 'pods':
      return getPods(request, options);
    case 'running-pods':
      return getRunningPods(request, options);
    case 'stats-summary':
      return getStatsSummary(request, options);
    case 'metrics':
      return getMetrics(request, route.of, options);
    case 'configz':
      return getConfigz(options.configuration);
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

const getMetrics = (
  request: KubeletRequest,
  of: Extract<Route, { kind: 'metrics' }>['of'],
  options: KubeletApiOptions & { readonly nodeUsage: NodeUsage },
): KubeletResponse | Promise<KubeletResponse> => {
  switch (of) {
    case 'node':
      return getNodeMetrics(options, options.processMetrics);
    case 'resource':
      return getResourceMetrics(request, options);
    case 'cadvisor':
      return getCadvisorMetrics(request, options);
    case 'probes':
      return getProbeMetrics();
    default:
      return of satisfies never;
  }
};
