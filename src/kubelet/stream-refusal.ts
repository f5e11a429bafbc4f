import type { KubeletResponse } from './http.ts';
import { failure } from './responses.ts';
import type { StreamRoute } from './route.ts';

type Kind = StreamRoute['kind'];

/**
 * The refusal of what needs an upgraded connection where the endpoint cannot carry one: 501 with a complete Status, which
 * kubectl shows as it is on every path, and what to do instead.
 */
export const refuseStream = (kind: Kind, node: string): KubeletResponse =>
  notImplemented(kind, node, kind === 'run' ? NO_COMMANDS : 'its endpoint cannot carry upgraded connections');

/** The same where the provider of the node has nothing of the kind. */
export const refuseSession = (
  kind: Exclude<Kind, 'run'>,
  { node, provider }: { readonly node: string; readonly provider: string },
): KubeletResponse => notImplemented(kind, node, `its provider (${provider}) ${LACKS[kind]}`);

const notImplemented = (kind: Kind, node: string, why: string): KubeletResponse =>
  failure(501, 'NotImplemented', `${kind} is not supported on node ${node}: ${why}; ${REMEDIES[kind]}`);

const NO_COMMANDS = 'commands cannot be started in its containers';

const LACKS: Readonly<Record<Exclude<Kind, 'run'>, string>> = {
  exec: 'cannot start commands in containers',
  attach: 'cannot attach to containers',
  'port-forward': 'cannot reach ports of pods',
};

const REMEDIES: Readonly<Record<Kind, string>> = {
  exec: 'read what the container prints with kubectl logs, or run the command as a pod of its own',
  attach: 'follow the output with kubectl logs -f',
  run: 'run the command as a pod of its own and read its output with kubectl logs',
  'port-forward': "connect to the pod's own IP from inside its network",
};
