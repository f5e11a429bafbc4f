import { once } from 'node:events';
import net from 'node:net';
import tls from 'node:tls';
import { SpdySocket, upgradeToSpdy } from '../../support/streaming/spdy-socket.ts';
import { maskedFrame, OPCODES, upgradeToWebSocket, WebSocketSocket } from '../../support/streaming/websocket-socket.ts';

/** One session as the benchmark drives it. */
export interface BenchSession {
  /** Sends a message's worth; answers whether there is room for more. */
  readonly send: () => boolean;
  readonly endInput: () => void;
  readonly io: net.Socket;
}

export interface BenchTransport {
  readonly name: string;
  /** @param onBytes payload that came; `onEnd`: the result was told */
  readonly open: (
    at: { readonly port: number; readonly isTls: boolean; readonly query: string },
    onBytes: (bytes: number) => void,
    onEnd: () => void,
  ) => Promise<BenchSession>;
}

/** What kubectl sends at a time. */
export const MESSAGE_BYTES = 32_768;
const PAYLOAD = Buffer.alloc(MESSAGE_BYTES, 'y');

export const connect = async (port: number, isTls: boolean): Promise<net.Socket> => {
  if (!isTls) {
    const socket = net.connect({ port, host: '127.0.0.1', noDelay: true });
    await once(socket, 'connect');
    return socket;
  }
  const socket = tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false });
  await once(socket, 'secureConnect');
  return socket;
};

const spdy: BenchTransport = {
  name: 'spdy',
  open: async ({ port, isTls, query }, onBytes, onEnd) => {
    const io = await connect(port, isTls);
    const { status, rest } = await upgradeToSpdy(io, `/exec?${query}`, ['v4.channel.k8s.io']);
    if (status !== 101) throw new Error(`SPDY was refused: ${status}`);
    const ids: Record<string, number> = {};
    const client = new SpdySocket(io, rest, {
      onData: (id, piece) => {
        if (id === ids['stdout']) onBytes(piece.length);
      },
      onEvent: (words) => {
        if (words === `fin ${ids['error']}`) onEnd();
      },
    });
    io.resume();
    const asked = new URLSearchParams(query);
    for (const name of ['error', ...(asked.has('in') ? ['stdin'] : []), ...(asked.has('out') ? ['stdout'] : [])])
      ids[name] = await client.open({ streamtype: name });
    const stdin = ids['stdin'] ?? 0;
    return {
      io,
      send: () => client.send(stdin, PAYLOAD),
      endInput: () => void client.send(stdin, Buffer.alloc(0), true),
    };
  },
};

/** The key of zeros spares this end the masking; the server unmasks all the same. */
const MESSAGE = maskedFrame(Buffer.concat([Buffer.from([0]), PAYLOAD]), OPCODES.binary, 0);

const webSocket: BenchTransport = {
  name: 'websocket',
  open: async ({ port, isTls, query }, onBytes, onEnd) => {
    const io = await connect(port, isTls);
    const { status, rest } = await upgradeToWebSocket(io, `/exec?${query}`, 'v5.channel.k8s.io');
    if (status !== 101) throw new Error(`WebSocket was refused: ${status}`);
    let channel = 0;
    const client = new WebSocketSocket(io, rest, {
      onPiece: (piece, begins) => {
        if (begins) channel = piece[0] ?? 0;
        if (channel === 1) onBytes(piece.length - (begins ? 1 : 0));
      },
      onClose: onEnd,
    });
    io.resume();
    return { io, send: () => io.write(MESSAGE), endInput: () => void client.send(Buffer.from([255, 0])) };
  },
};

export const BENCH_TRANSPORTS: readonly BenchTransport[] = [spdy, webSocket];
