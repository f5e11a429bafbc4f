import type { IncomingMessage } from 'node:http';
import type { Duplex } from 'node:stream';
import { type WebSocket, WebSocketServer } from 'ws';
import { isLocalClient } from '../local-client.ts';
import type { AwsServices } from '../services.ts';
import { parseOpenDataChannel } from './message-payloads.ts';
import { type SignatureOptions, signatureFault } from './upgrade-signature.ts';

/** Far more than any message of a client holds. */
const maxFrameBytes = 65_536;
/** How long a connection may stay silent before it says whose it is. */
const openWithinMs = 10_000;
/** The connection breaks a rule (RFC 6455, 7.4.1). */
const policyViolation = 1008;

/** Serves `/v1/data-channel/SESSION?role=publish_subscribe`, the WebSocket of Session Manager's data channels. */
export const sessionUpgrade = (services: AwsServices, options: SignatureOptions) => {
  const server = new WebSocketServer({ noServer: true, maxPayload: maxFrameBytes, perMessageDeflate: false });
  return (request: IncomingMessage, socket: Duplex, head: Buffer): void => {
    const sessionId = sessionOf(request.url ?? '');
    socket.on('error', () => socket.destroy());
    if (!isLocalClient(request.headers)) return refuse(socket, '403 Forbidden');
    if (sessionId === undefined || !services.sessions.has(sessionId)) return refuse(socket, '404 Not Found');
    if (signatureFault(request, options) !== undefined) return refuse(socket, '403 Forbidden');
    server.handleUpgrade(request, socket, head, (client) => serve(services, sessionId, client));
  };
};

const sessionOf = (url: string): string | undefined =>
  /^\/v1\/data-channel\/([\w-]+)\?(?:.*&)?role=publish_subscribe(?:&|$)/.exec(url)?.[1];

const refuse = (socket: Duplex, status: string): void => {
  socket.end(`HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Length: 0\r\n\r\n`);
};

/** The first frame opens the channel with the session's token; all others are the channel's. */
const serve = (services: AwsServices, sessionId: string, client: WebSocket): void => {
  const patience = setTimeout(() => client.close(policyViolation), openWithinMs);
  client.on('close', () => clearTimeout(patience));
  client.on('error', () => client.terminate());
  client.once('message', (data, isBinary) => {
    clearTimeout(patience);
    const opening = isBinary || !Buffer.isBuffer(data) ? undefined : parseOpenDataChannel(data.toString('utf8'));
    const session = opening && services.sessions.redeem(sessionId, opening.token);
    if (!session) return client.close(policyViolation, 'the token is not that of an open session');
    client.on('message', (frame, binary) => {
      if (binary && Buffer.isBuffer(frame)) session.channel.received(frame);
    });
    client.on('close', () => session.channel.disconnected(client));
    session.channel.connect(client);
  });
};
