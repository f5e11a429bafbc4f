import type { IncomingMessage } from 'node:http';
import { lingerUntilGone } from '../linger.ts';
import { refuseUpgrade } from '../refuse-upgrade.ts';
import type { DialPort, UpgradeRequest } from '../session.ts';
import { Traffic } from '../traffic.ts';
import { acceptWebSocket, offeredProtocols, refuseProtocols } from '../websocket/accept-websocket.ts';
import { ChannelSocket } from '../websocket/channel-socket.ts';
import { carryConnection } from './carry-connection.ts';
import type { ForwardTransport } from './forward-session.ts';
import { parsePort } from './forwarded-pair.ts';
import type { PortForwardDeps } from './port-forward-deps.ts';

const BINARY = 'v4.channel.k8s.io';
const BASE64 = 'v4.base64.channel.k8s.io';

/** Two channels a port, and 255 is none. */
const MAX_PORTS = 127;
const BUFFER_BYTES = 1_048_576;

/**
 * The older port-forward over WebSocket (the Python client's): one connection for each `port` of the query, dialled at
 * once, on two channels. Each channel begins with its port as 16 bits, the low byte first. There is no message for the end
 * of a connection; when all are over, so is the session.
 */
export const forwardOverChannels = (
  upgrade: UpgradeRequest,
  dial: DialPort,
  { clock, onRefused }: PortForwardDeps,
): ForwardTransport | undefined => {
  const offered = offeredProtocols(upgrade.message);
  const named = offered.length === 0 ? '' : offered.find((name) => name === BINARY || name === BASE64);
  if (named === undefined) {
    refuseProtocols(upgrade, [BINARY, BASE64]);
    return undefined;
  }
  const ports = portsOf(upgrade.message);
  if (typeof ports === 'string') {
    refuseUpgrade(upgrade.socket, { status: 400, body: ports });
    return undefined;
  }
  const ws = acceptWebSocket(upgrade, named);
  if (ws === undefined) return undefined;
  const traffic = new Traffic(clock);
  const socket = new ChannelSocket(ws, {
    clock,
    isBase64: named === BASE64,
    hasHalfClose: false,
    bufferBytes: BUFFER_BYTES,
    onData: (channel, bytesIn, bytesOut) => {
      if (channel % 2 === 0) traffic.moved(bytesIn, bytesOut);
    },
  });
  const { connection } = socket;
  const carried = ports.map((port, index) => {
    const [data, error] = [socket.open(index * 2), socket.open(index * 2 + 1)];
    for (const { id } of [data, error]) socket.sendFirst(id, Buffer.from([port & 0xff, port >> 8]));
    return carryConnection({ port, data, error }, { dial, onRefused, hasEnds: false });
  });
  void Promise.all(carried).then(() => {
    connection.conclude();
    return lingerUntilGone(connection, clock);
  });
  return { connection, traffic, transport: 'websocket', protocol: named === '' ? BINARY : named };
};

/** The ports asked for, or what is wrong with them. */
const portsOf = ({ url = '' }: IncomingMessage): readonly number[] | string => {
  const texts = new URLSearchParams(url.slice(url.indexOf('?') + 1))
    .getAll('port')
    .flatMap((value) => value.split(','));
  if (texts.length === 0) return 'query parameter "port" is required';
  if (texts.length > MAX_PORTS) return `query parameter "port": ${texts.length} ports, at most ${MAX_PORTS}`;
  const ports = texts.flatMap((text) => parsePort(text) ?? []);
  if (ports.length === texts.length) return ports;
  return `query parameter "port": ${JSON.stringify(texts.find((text) => parsePort(text) === undefined))} is no port`;
};
