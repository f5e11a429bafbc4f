import type { IncomingMessage } from 'node:http';
import { type WebSocket, WebSocketServer } from 'ws';
import { protocolsOf, TOKEN_PROTOCOL } from '../../core/websocket-protocols.ts';
import { refuseUpgrade } from '../refuse-upgrade.ts';
import type { UpgradeRequest } from '../session.ts';

/** What a client may put into one message: upstream's bound. It is held in memory until it is whole. */
const MAX_MESSAGE_BYTES = 33_554_432;

const OPTIONS = {
  noServer: true,
  clientTracking: false,
  perMessageDeflate: false,
  maxPayload: MAX_MESSAGE_BYTES,
  maxBufferedChunks: 65_536,
  // Clients send binary data as text too, as upstream allows.
  skipUTF8Validation: true,
  // Pings are answered where their answers are counted.
  autoPong: false,
  // A client that has said goodbye, or was told so, and does not hang up. Sessions decide earlier where they can.
  closeTimeout: 600_000,
};

/** The sub-protocols a client offers, best first. */
export const offeredProtocols = ({ headers }: Pick<IncomingMessage, 'headers'>): readonly string[] =>
  protocolsOf(headers['sec-websocket-protocol']).filter((name) => name !== '' && !name.startsWith(TOKEN_PROTOCOL));

/** Refuses a client that offers no sub-protocol of ours. */
export const refuseProtocols = ({ message, socket }: UpgradeRequest, supported: readonly string[]): void =>
  refuseUpgrade(socket, {
    status: 403,
    body: `unable to upgrade: the client speaks [${offeredProtocols(message).join(' ')}], the server [${supported.join(' ')}]`,
    headers: supported.map((name) => ['X-Accepted-Stream-Protocol-Versions', name]),
  });

/**
 * Upgrades to WebSocket with the sub-protocol that was chosen; an empty one is not named. Undefined where the request is
 * no proper handshake (answered with 400) or the client has gone.
 */
export const acceptWebSocket = ({ message, socket, head }: UpgradeRequest, protocol: string): WebSocket | undefined => {
  const server = new WebSocketServer(OPTIONS);
  const accepted: WebSocket[] = [];
  // `ws` refuses the slash in the name of tunnelled port-forwards. It need not know of the protocols.
  delete message.headers['sec-websocket-protocol'];
  server.on('headers', (lines) => {
    if (protocol !== '') lines.push(`Sec-WebSocket-Protocol: ${protocol}`);
  });
  server.on('wsClientError', (error) =>
    refuseUpgrade(socket, { status: 400, body: `unable to upgrade: ${error.message}` }),
  );
  server.handleUpgrade(message, socket, head, (client) => accepted.push(client));
  return accepted[0];
};
