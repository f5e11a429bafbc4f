import net from 'node:net';
import { Duplex } from 'node:stream';
import { SpdySocket, upgradeToSpdy } from '../../../support/streaming/spdy-socket.ts';
import { eventually } from '../../../support/streaming/wait.ts';
import { upgradeToWebSocket, WebSocketSocket } from '../../../support/streaming/websocket-socket.ts';

/** One forwarded connection at the client. */
export interface ForwardedConnection {
  readonly received: () => Buffer;
  readonly errorText: () => string;
  /** What happened to its streams: `reply data`, `fin data`, `reset data 5`, `fin error`. */
  readonly events: readonly string[];
  send(data: Uint8Array | string, fin?: boolean): void;
  reset(): void;
}

class ForwardClient {
  readonly events: string[] = [];
  /** The connection to the server. */
  readonly socket: net.Socket;
  readonly #spdy: SpdySocket;
  readonly #data = new Map<number, Buffer[]>();
  readonly #own = new Map<number, { readonly name: string; readonly events: string[] }>();
  #requests = 0;

  /** @param io where SPDY is spoken: the socket, or a tunnel in it */
  constructor(socket: net.Socket, io: Duplex, rest: Buffer) {
    this.socket = socket;
    this.#spdy = new SpdySocket(io, rest, {
      onData: (id, piece) => this.#data.set(id, [...(this.#data.get(id) ?? []), piece]),
      onEvent: (words) => this.#note(words),
    });
  }

  /** Opens a stream alone. */
  async openStream(headers: Readonly<Record<string, string>>): Promise<number> {
    const id = await this.#spdy.open(headers);
    this.#own.set(id, { name: headers['streamtype'] ?? '', events: this.events });
    return id;
  }

  /** Gives a stream up. */
  resetStream(id: number): void {
    this.#spdy.reset(id);
  }

  /** As kubectl does: the error stream first, whose input it ends at once. Old clients send no `requestid`. */
  async connect(port: number, { isOld = false } = {}): Promise<ForwardedConnection> {
    const requestid = isOld ? {} : { requestid: String((this.#requests += 1)) };
    const events: string[] = [];
    const open = async (streamtype: string): Promise<number> => {
      const id = await this.#spdy.open({ streamtype, port: String(port), ...requestid });
      this.#own.set(id, { name: streamtype, events });
      return id;
    };
    const error = await open('error');
    this.#spdy.send(error, Buffer.alloc(0), true);
    const data = await open('data');
    await eventually(() => events.includes('reply data') || events.some((words) => words.startsWith('reset')));
    const bytesOf = (id: number): Buffer => Buffer.concat(this.#data.get(id) ?? []);
    return {
      events,
      received: () => bytesOf(data),
      errorText: () => bytesOf(error).toString(),
      send: (bytes, fin = false) => void this.#spdy.send(data, Buffer.from(bytes), fin),
      reset: () => this.#spdy.reset(data),
    };
  }

  #note(words: string): void {
    const [what = '', id = '', ...more] = words.split(' ');
    const own = what === 'ping' || what === 'goaway' ? undefined : this.#own.get(Number(id));
    if (own === undefined) this.events.push(words);
    else own.events.push([what, own.name, ...more].join(' '));
  }
}

const connectSpdy = async (port: number): Promise<ForwardClient> => {
  const socket = net.connect({ port, host: '127.0.0.1', allowHalfOpen: true });
  const { status, rest } = await upgradeToSpdy(socket, '/portForward/ns/pod', ['portforward.k8s.io']);
  if (status !== 101) throw new Error(`not upgraded: ${status}`);
  const client = new ForwardClient(socket, socket, rest);
  socket.resume();
  return client;
};

const connectTunnel = async (port: number): Promise<ForwardClient> => {
  const socket = net.connect({ port, host: '127.0.0.1' });
  const { status, lines, rest } = await upgradeToWebSocket(socket, '/portForward/ns/pod', TUNNEL);
  if (status !== 101 || !lines.includes(`Sec-WebSocket-Protocol: ${TUNNEL}`)) throw new Error(`no tunnel: ${status}`);
  const io: Duplex = new Duplex({
    read: () => undefined,
    // In messages that have nothing to do with frames.
    write: (chunk: Buffer, _encoding, callback) => {
      for (let at = 0; at < chunk.length; at += 50_000) ws.send(chunk.subarray(at, at + 50_000));
      callback();
    },
  });
  socket.on('close', () => io.push(null));
  const ws = new WebSocketSocket(socket, rest, { onPiece: (piece) => io.push(piece) });
  socket.resume();
  return new ForwardClient(socket, io, Buffer.alloc(0));
};

const TUNNEL = 'SPDY/3.1+portforward.k8s.io';

export const FORWARD_TRANSPORTS = [
  { name: 'SPDY', transport: 'spdy', protocol: 'portforward.k8s.io', connect: connectSpdy },
  { name: 'a WebSocket tunnel', transport: 'websocket', protocol: TUNNEL, connect: connectTunnel },
] as const;
