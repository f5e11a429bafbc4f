/** Path of a namespaced object, or of a collection where `name` is left out: `corePath('d', 'pods', 'p', 'status')`. */
export const corePath = (namespace: string, resource: string, ...rest: readonly string[]): string =>
  join('api', 'v1', 'namespaces', namespace, resource, ...rest);

/** Path of a node: `nodePath('fargate', 'status')`. */
export const nodePath = (...rest: readonly string[]): string => join('api', 'v1', 'nodes', ...rest);

/** Path of a lease of kube-node-lease. */
export const leasePath = (...rest: readonly string[]): string =>
  join('apis', 'coordination.k8s.io', 'v1', 'namespaces', 'kube-node-lease', 'leases', ...rest);

const join = (...segments: readonly string[]): string =>
  segments.map((segment) => `/${encodeURIComponent(segment)}`).join('');
