import type { WebSocket } from 'ws';
import { CarriedStream, type StreamCarrier } from '../carried-stream.ts';
import { isBehind } from '../read-budget.ts';
import type { StreamConnection } from '../stream-connection.ts';
import { MAX_PAYLOAD_BYTES, MessageBuffers } from './message-buffers.ts';
import { type SocketDeps, WebSocketConnection } from './websocket-connection.ts';

export interface ChannelSocketOptions extends SocketDeps {
  /** Messages are text: the channel's digit and base64. */
  readonly isBase64: boolean;
  /** Whether a message of the bytes 255 and N says that the client sends no more on channel N (version 5). */
  readonly hasHalfClose: boolean;
  /** What a channel may hold unread. */
  readonly bufferBytes: number;
  /** Payload of a channel came or was sent. */
  readonly onData: (channel: number, bytesIn: number, bytesOut: number) => void;
}

const EMPTY = Buffer.alloc(0);
const HALF_CLOSE = 255;
const DIGIT_ZERO = 48;
/** Shared by all sessions: an idle one keeps none. */
const BUFFERS = new MessageBuffers(32);

/** Streams over a WebSocket: the first byte of each message is the number of its channel. */
export class ChannelSocket implements StreamCarrier {
  readonly connection: StreamConnection;
  readonly #socket: WebSocketConnection;
  readonly #options: ChannelSocketOptions;
  readonly #streams = new Map<number, CarriedStream>();

  constructor(ws: WebSocket, options: ChannelSocketOptions) {
    this.#options = options;
    this.#socket = new WebSocketConnection(ws, options, {
      onMessage: (message) => this.#receive(message),
      mayRead: () => [...this.#streams.values()].every((stream) => !this.#isBehind(stream)),
    });
    this.connection = this.#socket;
    this.#socket.signal.addEventListener('abort', () => {
      for (const stream of this.#streams.values()) stream.receiveReset();
    });
  }

  /** A channel that exists from the start, as all do. What comes on others is dropped. */
  open(channel: number): CarriedStream {
    const stream = new CarriedStream(this, channel);
    this.#streams.set(channel, stream);
    return stream;
  }

  /** An end is not told: the protocol has no message for it. */
  send(channel: number, data: Uint8Array, _fin: boolean, callback: (error?: Error) => void): void {
    if (data.length === 0) return callback();
    this.#options.onData(channel, 0, data.length);
    let at = 0;
    for (; at + MAX_PAYLOAD_BYTES < data.length; at += MAX_PAYLOAD_BYTES)
      this.#write(channel, data.subarray(at, at + MAX_PAYLOAD_BYTES));
    this.#write(channel, data.subarray(at), callback);
  }

  /** Sends what the protocol itself begins a channel with; no payload. */
  sendFirst(channel: number, data = EMPTY): void {
    this.#write(channel, data);
  }

  readOn(): void {
    this.#socket.readOn();
  }

  forget(): void {
    this.#socket.readOn();
  }

  #isBehind(stream: CarriedStream): boolean {
    return isBehind(stream, this.#streams.size, this.#options.bufferBytes);
  }

  #write(channel: number, data: Uint8Array, callback?: (error?: Error) => void): void {
    if (this.#options.isBase64) {
      const base64 = Buffer.from(data.buffer, data.byteOffset, data.length).toString('base64');
      return this.#socket.send(String.fromCharCode(DIGIT_ZERO + channel) + base64, { callback });
    }
    const message = BUFFERS.fill(channel, data);
    this.#socket.send(message, { callback, onSent: () => BUFFERS.giveBack(message) });
  }

  #receive(message: Buffer): void {
    const first = message[0];
    if (first === undefined) return;
    const { isBase64, hasHalfClose } = this.#options;
    if (hasHalfClose && first === HALF_CLOSE) return this.#streams.get(message[1] ?? HALF_CLOSE)?.receiveEnd();
    const channel = isBase64 ? first - DIGIT_ZERO : first;
    const stream = this.#streams.get(channel);
    if (stream === undefined) return;
    const data = isBase64 ? Buffer.from(message.toString('latin1', 1), 'base64') : message.subarray(1);
    this.#options.onData(channel, data.length, 0);
    stream.receive(data);
  }
}
