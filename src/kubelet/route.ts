/** What a path of the kubelet API asks for. Pod routes carry names that are valid Kubernetes names, never anything else. */
export type Route =
  | { readonly kind: 'container-logs'; readonly namespace: string; readonly pod: string; readonly container: string }
  | StreamRoute
  | { readonly kind: 'pods' }
  | { readonly kind: 'running-pods' }
  | { readonly kind: 'stats-summary' }
  | { readonly kind: 'metrics'; readonly of: 'node' | 'resource' | 'cadvisor' | 'probes' }
  | { readonly kind: 'configz' }
  | { readonly kind: 'healthz'; readonly check?: string }
  | { readonly kind: 'system-logs' }
  | { readonly kind: 'redirect'; readonly to: string }
  | { readonly kind: 'unknown' };

/** Routes that run something in a pod or reach into it. */
export type StreamRoute = SessionRoute | RunRoute;

/** Those that want a connection of their own. */
export type SessionRoute = RemoteCommandRoute | PortForwardRoute;

export type RemoteCommandRoute = PodRoute & { readonly kind: 'exec' | 'attach' };
export type PortForwardRoute = PodRoute & { readonly kind: 'port-forward' };
export type RunRoute = PodRoute & { readonly kind: 'run' };

/** `container` is absent for port-forward only. */
interface PodRoute {
  readonly namespace: string;
  readonly pod: string;
  readonly uid?: string;
  readonly container?: string;
}

/**
 * Reads a path as kubelet's router does: percent-encoding is undone before the path is split, one trailing slash does
 * not matter, and `/runningpods` is sent to `/runningpods/`. Undefined where the encoding is broken.
 */
export const parseRoute = (path: string): Route | undefined => {
  const segments = segmentsOf(path);
  if (segments === undefined) return undefined;
  const [head, ...rest] = segments;
  switch (head) {
    case 'containerLogs':
      return containerLogs(rest);
    case 'exec':
    case 'attach':
    case 'run':
      return containerStream(head, rest);
    case 'portForward':
      return portForward(rest);
    case 'pods':
      return rest.length === 0 ? { kind: 'pods' } : UNKNOWN;
    case 'runningpods':
      if (rest.length > 0) return UNKNOWN;
      return path.endsWith('/') ? { kind: 'running-pods' } : { kind: 'redirect', to: '/runningpods/' };
    case 'stats':
      return rest.length === 1 && rest[0] === 'summary' ? { kind: 'stats-summary' } : UNKNOWN;
    case 'metrics':
      return metrics(rest);
    case 'configz':
      return rest.length === 0 ? { kind: 'configz' } : UNKNOWN;
    case 'healthz':
      return healthz(rest);
    case 'logs':
      return { kind: 'system-logs' };
    default:
      return UNKNOWN;
  }
};

/** The first segment of a decoded path: what kubelet's authorization looks at. Empty where the encoding is broken. */
export const firstSegment = (path: string): string => segmentsOf(path)?.[0] ?? '';

/** Methods a route takes; the rest is 405. Undefined: the route answers every method alike. */
export const methodsOf = (route: Route): readonly string[] | undefined => {
  switch (route.kind) {
    case 'exec':
    case 'attach':
    case 'port-forward':
      return ['GET', 'POST'];
    case 'run':
      return ['POST'];
    case 'container-logs':
    case 'pods':
    case 'running-pods':
    case 'stats-summary':
    case 'metrics':
    case 'configz':
    case 'healthz':
      return ['GET'];
    case 'system-logs':
    case 'redirect':
    case 'unknown':
      return undefined;
    default:
      return route satisfies never;
  }
};

const UNKNOWN: Route = { kind: 'unknown' };

const segmentsOf = (path: string): readonly string[] | undefined => {
  try {
    return decodeURIComponent(path).replace(/^\//, '').replace(/\/$/, '').split('/');
  } catch {
    return undefined;
  }
};

const LABEL = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;
const SUBDOMAIN = /^(?=.{1,253}$)[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$/;
const UID = /^[A-Za-z0-9][-A-Za-z0-9_.]{0,127}$/;

const containerLogs = ([namespace, pod, container, ...rest]: readonly string[]): Route =>
  isLabel(namespace) && isPodName(pod) && isLabel(container) && rest.length === 0
    ? { kind: 'container-logs', namespace, pod, container }
    : UNKNOWN;

const containerStream = (kind: 'exec' | 'attach' | 'run', [namespace, pod, ...rest]: readonly string[]): Route => {
  const [uid, container] = rest.length === 2 ? rest : [undefined, rest[0]];
  if (!isLabel(namespace) || !isPodName(pod) || !isLabel(container)) return UNKNOWN;
  if (rest.length > 2 || !isUid(uid)) return UNKNOWN;
  return { kind, namespace, pod, container, ...(uid === undefined ? {} : { uid }) };
};

const portForward = ([namespace, pod, uid, ...rest]: readonly string[]): Route => {
  if (!isLabel(namespace) || !isPodName(pod) || !isUid(uid) || rest.length > 0) return UNKNOWN;
  return { kind: 'port-forward', namespace, pod, ...(uid === undefined ? {} : { uid }) };
};

const metrics = ([of = 'node', ...rest]: readonly string[]): Route => {
  if (rest.length > 0) return UNKNOWN;
  return of === 'node' || of === 'resource' || of === 'cadvisor' || of === 'probes' ? { kind: 'metrics', of } : UNKNOWN;
};

const healthz = (rest: readonly string[]): Route => {
  if (rest.length > 1) return UNKNOWN;
  return rest[0] === undefined ? { kind: 'healthz' } : { kind: 'healthz', check: rest[0] };
};

const isLabel = (value: string | undefined): value is string => value !== undefined && LABEL.test(value);

const isPodName = (value: string | undefined): value is string => value !== undefined && SUBDOMAIN.test(value);

const isUid = (value: string | undefined): boolean => value === undefined || UID.test(value);
