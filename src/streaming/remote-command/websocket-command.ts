import type { RemoteCommandOptions, StreamDeps, UpgradeRequest } from '../session.ts';
import { Traffic } from '../traffic.ts';
import { acceptWebSocket, offeredProtocols, refuseProtocols } from '../websocket/accept-websocket.ts';
import { ChannelSocket } from '../websocket/channel-socket.ts';
import type { CommandTransport } from './command-session.ts';

const PROTOCOLS: Readonly<Record<string, { readonly version: number; readonly isBase64: boolean }>> = {
  'v5.channel.k8s.io': { version: 5, isBase64: false },
  'v4.channel.k8s.io': { version: 4, isBase64: false },
  'v4.base64.channel.k8s.io': { version: 4, isBase64: true },
  'channel.k8s.io': { version: 1, isBase64: false },
  'base64.channel.k8s.io': { version: 1, isBase64: true },
};
/** What a client speaks that names no protocol. */
const UNNAMED = 'channel.k8s.io';

const CHANNELS = { stdin: 0, stdout: 1, stderr: 2, error: 3, resize: 4 } as const;
const COUNTED: readonly number[] = [CHANNELS.stdin, CHANNELS.stdout, CHANNELS.stderr];

/** kubectl gives up when a message is not taken within a minute: a slow reader of its input gets a large buffer. */
const BUFFER_BYTES = 4_194_304;

/** Upgrades to WebSocket. Undefined where that was refused, or the client has gone. */
export const acceptWebSocketCommand = (
  upgrade: UpgradeRequest,
  { stdin, stdout, stderr, tty }: RemoteCommandOptions,
  { clock }: StreamDeps,
): CommandTransport | undefined => {
  const offered = offeredProtocols(upgrade.message);
  const named = offered.length === 0 ? '' : offered.find((name) => Object.hasOwn(PROTOCOLS, name));
  if (named === undefined) {
    refuseProtocols(upgrade, Object.keys(PROTOCOLS));
    return undefined;
  }
  const protocol = named === '' ? UNNAMED : named;
  const { version, isBase64 } = PROTOCOLS[protocol] ?? { version: 1, isBase64: false };
  const ws = acceptWebSocket(upgrade, named);
  if (ws === undefined) return undefined;
  const traffic = new Traffic(clock);
  const socket = new ChannelSocket(ws, {
    clock,
    isBase64,
    hasHalfClose: version >= 5,
    bufferBytes: BUFFER_BYTES,
    onData: (channel, bytesIn, bytesOut) =>
      COUNTED.includes(channel) ? traffic.moved(bytesIn, bytesOut) : traffic.moved(0, 0),
  });
  const openIf = (isWanted: boolean, channel: number) => (isWanted ? socket.open(channel) : undefined);
  const streams = {
    stdin: openIf(stdin, CHANNELS.stdin),
    stdout: openIf(stdout, CHANNELS.stdout),
    stderr: openIf(stderr, CHANNELS.stderr),
    error: socket.open(CHANNELS.error),
    resize: openIf(tty, CHANNELS.resize),
  };
  // Shows the client that the connection stands, as upstream does, by an empty message.
  socket.sendFirst((streams.stdout ?? streams.stderr ?? streams.error).id);
  return { connection: socket.connection, streams, traffic, transport: 'websocket', protocol, version };
};
