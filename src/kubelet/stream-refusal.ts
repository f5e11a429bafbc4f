import type { KubeletResponse } from './http.ts';
import { failure } from './responses.ts';
import type { StreamRoute } from './route.ts';

/**
 * The refusal of what needs an upgraded connection where the endpoint cannot carry one: 501 with a complete Status, which
 * kubectl shows as it is on every path, and what to do instead.
 */
export const refuseStream = (kind: StreamRoute['kind'], node: string): KubeletResponse =>
  failure(501, 'NotImplemented', `${kind} is not supported on node ${node}: ${REMEDIES[kind]}`);

const NO_UPGRADE = 'its endpoint cannot carry upgraded connections';

const REMEDIES: Readonly<Record<StreamRoute['kind'], string>> = {
  exec: `${NO_UPGRADE}; read what the container prints with kubectl logs, or run the command as a pod of its own`,
  attach: `${NO_UPGRADE}; follow the output with kubectl logs -f`,
  run: `commands cannot be started in its containers; run the command as a pod of its own and read its output with kubectl logs`,
  'port-forward': `${NO_UPGRADE}; connect to the pod's own IP from inside its network`,
};
