import { refuseUpgrade } from './refuse-upgrade.ts';
import type { DialPort, PortForwardSession, StreamDeps, StreamLimits, UpgradeRequest } from './session.ts';

export interface PortForwardDeps extends StreamDeps {
  /** Nobody listens on the port: that one connection was reset, the forward goes on. */
  readonly onRefused?: (port: number, error: Error) => void;
}

/**
 * Upgrades a request for a port-forward. Undefined where there will be no session: the refusal was answered on the socket,
 * or the client has gone.
 */
export const acceptPortForward = async (
  upgrade: UpgradeRequest,
  _dial: DialPort,
  _limits: StreamLimits,
  _deps: PortForwardDeps,
): Promise<PortForwardSession | undefined> => {
  refuseUpgrade(upgrade.socket, { status: 400, body: 'unable to upgrade: no such protocol' });
  return undefined;
};
