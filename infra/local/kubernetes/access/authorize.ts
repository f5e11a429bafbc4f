import { ApiError, forbiddenTo } from '../model/status.ts';
import type { UserInfo } from './user.ts';

/** What a user wants to do: to a resource, or to a path that is none. */
export type Attributes =
  | {
      readonly kind: 'resource';
      readonly verb: string;
      readonly group: string;
      readonly resource: string;
      readonly subresource?: string | undefined;
      readonly namespace?: string | undefined;
      readonly name?: string | undefined;
    }
  | { readonly kind: 'path'; readonly verb: string; readonly path: string };

const ADMINS = 'system:masters';
const NODES = 'system:nodes';
const NODE_USER = 'system:node:';

/** Discovery and health, open to every authenticated user (`system:discovery`). */
const DISCOVERY = /^\/(api|apis|healthz|livez|readyz|openapi|version)(\/.*)?$/;

/**
 * A few fixed rules instead of RBAC: members of system:masters may do everything, a node what its kubelet needs,
 * everybody authenticated may discover and ask about himself, and nothing else.
 */
export const isAllowed = (user: UserInfo, attributes: Attributes): boolean => {
  if (user.groups.includes(ADMINS)) return true;
  if (attributes.kind === 'path') return attributes.verb === 'get' && DISCOVERY.test(attributes.path);
  if (!user.groups.includes('system:authenticated')) return false;
  if (attributes.verb === 'create' && attributes.resource.startsWith('selfsubject')) return true;
  return user.groups.includes(NODES) && user.username.startsWith(NODE_USER)
    ? isNodeAllowed(user.username.slice(NODE_USER.length), attributes)
    : false;
};

/** What the cluster role `system:node` and the Node authorizer come to, without following who mounts what. */
const isNodeAllowed = (
  node: string,
  { verb, resource, subresource, namespace, name }: Attributes & { readonly kind: 'resource' },
): boolean => {
  const reads = verb === 'get' || verb === 'list' || verb === 'watch';
  const writes = verb === 'create' || verb === 'update' || verb === 'patch' || verb === 'delete';
  switch (resource) {
    case 'nodes':
      return reads || (verb === 'create' && name === undefined) || (writes && name === node);
    case 'leases':
      return namespace === 'kube-node-lease' && (reads || writes) && (name === undefined || name === node);
    case 'pods':
      return reads || verb === 'delete' || subresource === 'status' || subresource === 'eviction';
    case 'services':
      return reads;
    case 'secrets':
    case 'configmaps':
      return verb === 'get' || verb === 'list' || verb === 'watch';
    case 'serviceaccounts':
      return verb === 'get' || (verb === 'create' && subresource === 'token');
    case 'events':
      return verb === 'create' || verb === 'update' || verb === 'patch';
    case 'tokenreviews':
    case 'subjectaccessreviews':
      return verb === 'create';
    default:
      return false;
  }
};

/** 403 in the real server's words. */
export const forbiddenFor = ({ username }: UserInfo, attributes: Attributes): ApiError => {
  const who = `User "${username}" cannot ${attributes.verb}`;
  if (attributes.kind === 'path') {
    return new ApiError(403, 'Forbidden', `forbidden: ${who} path "${attributes.path}"`, {});
  }
  const { group, resource, subresource, namespace, name = '' } = attributes;
  const what = subresource === undefined ? resource : `${resource}/${subresource}`;
  const where = namespace === undefined ? 'at the cluster scope' : `in the namespace "${namespace}"`;
  return forbiddenTo({ group, resource }, name, `${who} resource "${what}" in API group "${group}" ${where}`);
};
