import { forwardOverChannels } from './port-forward/channel-forward.ts';
import { ForwardSession, type ForwardTransport } from './port-forward/forward-session.ts';
import type { PortForwardDeps } from './port-forward/port-forward-deps.ts';
import { forwardOverSpdy, SPDY_PORT_FORWARD } from './port-forward/spdy-forward.ts';
import { refuseOtherUpgrade } from './refuse-upgrade.ts';
import type { DialPort, PortForwardSession, StreamLimits, UpgradeRequest } from './session.ts';
import { acceptSpdy } from './spdy/accept-spdy.ts';
import { upgradeKindOf } from './upgrade-kind.ts';
import { acceptWebSocket, offeredProtocols } from './websocket/accept-websocket.ts';
import { WebSocketTunnel } from './websocket/websocket-tunnel.ts';

const TUNNEL = `SPDY/3.1+${SPDY_PORT_FORWARD}`;
const NO_HEAD = Buffer.alloc(0);

/**
 * Upgrades a request for a port-forward. Undefined where there will be no session: the refusal (400: no upgrade we speak,
 * no protocol or no port named; 403: none of the protocols is known) was answered on the socket, or the client has gone.
 */
export const acceptPortForward = async (
  upgrade: UpgradeRequest,
  dial: DialPort,
  limits: StreamLimits,
  deps: PortForwardDeps,
): Promise<PortForwardSession | undefined> => {
  const carried = await acceptTransport(upgrade, dial, limits, deps);
  return carried && new ForwardSession(carried, limits, deps);
};

const acceptTransport = async (
  upgrade: UpgradeRequest,
  dial: DialPort,
  limits: StreamLimits,
  deps: PortForwardDeps,
): Promise<ForwardTransport | undefined> => {
  const kind = upgradeKindOf(upgrade.message);
  switch (kind) {
    case 'spdy': {
      const protocol = acceptSpdy(upgrade, [SPDY_PORT_FORWARD]);
      if (protocol === undefined) return undefined;
      const { socket: io, head } = upgrade;
      return forwardOverSpdy({ io, head, transport: 'spdy', protocol }, dial, limits, deps);
    }
    case 'websocket': {
      if (!offeredProtocols(upgrade.message).includes(TUNNEL)) return forwardOverChannels(upgrade, dial, deps);
      const ws = acceptWebSocket(upgrade, TUNNEL);
      if (ws === undefined) return undefined;
      const io = new WebSocketTunnel(ws, deps);
      return forwardOverSpdy({ io, head: NO_HEAD, transport: 'websocket', protocol: TUNNEL }, dial, limits, deps);
    }
    case undefined:
      refuseOtherUpgrade(upgrade.socket);
      return undefined;
    default:
      return kind satisfies never;
  }
};
