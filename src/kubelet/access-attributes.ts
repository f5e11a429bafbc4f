import type { AccessAttributes } from '../ports/kubernetes.ts';
import type { CallerKind } from './caller.ts';
import { firstSegment, type Route } from './route.ts';

/**
 * What a caller must be allowed to do, any one of the answered attributes; the first is tried first.
 *
 * As kubelet: `nodes/<sub-resource>` of this node, the verb from the method, the fine-grained sub-resource (KEP-2862,
 * KubeletFineGrainedAuthz) before `nodes/proxy`. Stricter than kubelet in two points: whatever runs something in a pod
 * needs `create` also when it comes as a GET (a WebSocket), and a caller with a bearer token needs the right on the pod
 * itself, because it never passed the API server's own check of `pods/log` or `pods/exec`.
 */
export const accessAttributesOf = (
  request: { readonly method: string; readonly path: string },
  route: Route | undefined,
  caller: CallerKind,
  node: string,
): readonly [AccessAttributes, ...AccessAttributes[]] => {
  const pod = caller === 'token' ? podAttributes(route) : undefined;
  if (pod !== undefined) return [pod];
  const verb = runsSomething(route) ? 'create' : verbOf(request.method);
  const [first, ...rest] = subresourcesOf(firstSegment(request.path));
  const onNode = (subresource: string): AccessAttributes => ({ verb, resource: 'nodes', subresource, name: node });
  return [onNode(first), ...rest.map(onNode)];
};

const podAttributes = (route: Route | undefined): AccessAttributes | undefined => {
  if (route === undefined) return undefined;
  switch (route.kind) {
    case 'container-logs':
      return { verb: 'get', resource: 'pods', subresource: 'log', namespace: route.namespace, name: route.pod };
    case 'exec':
    case 'run':
      return { verb: 'create', resource: 'pods', subresource: 'exec', namespace: route.namespace, name: route.pod };
    case 'attach':
      return { verb: 'create', resource: 'pods', subresource: 'attach', namespace: route.namespace, name: route.pod };
    case 'port-forward':
      return {
        verb: 'create',
        resource: 'pods',
        subresource: 'portforward',
        namespace: route.namespace,
        name: route.pod,
      };
    case 'pods':
    case 'running-pods':
    case 'stats-summary':
    case 'metrics':
    case 'configz':
    case 'healthz':
    case 'system-logs':
    case 'redirect':
    case 'unknown':
      return undefined;
    default:
      return route satisfies never;
  }
};

const runsSomething = (route: Route | undefined): boolean =>
  route?.kind === 'exec' || route?.kind === 'attach' || route?.kind === 'run' || route?.kind === 'port-forward';

const VERBS: Readonly<Record<string, string>> = {
  GET: 'get',
  POST: 'create',
  PUT: 'update',
  PATCH: 'patch',
  DELETE: 'delete',
};

// kubelet asks with an empty verb for other methods; its own name is refused as surely and says more in a log.
const verbOf = (method: string): string => VERBS[method] ?? method.toLowerCase();

const subresourcesOf = (segment: string): readonly [string, ...string[]] => {
  switch (segment) {
    case 'pods':
    case 'runningpods':
      return ['pods', 'proxy'];
    case 'healthz':
      return ['healthz', 'proxy'];
    case 'configz':
      return ['configz', 'proxy'];
    case 'statusz':
      return ['statusz', 'proxy'];
    case 'stats':
      return ['stats'];
    case 'metrics':
      return ['metrics'];
    case 'logs':
      return ['log'];
    case 'checkpoint':
      return ['checkpoint'];
    default:
      return ['proxy'];
  }
};
