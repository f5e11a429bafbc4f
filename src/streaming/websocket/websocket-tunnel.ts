import { Duplex } from 'node:stream';
import type { WebSocket } from 'ws';
import { type SocketDeps, WebSocketConnection } from './websocket-connection.ts';

const READ_BUFFER_BYTES = 262_144;
const WRITE_BUFFER_BYTES = 262_144;

/** A byte stream in the binary messages of a WebSocket; where a message begins means nothing. */
export class WebSocketTunnel extends Duplex {
  readonly #socket: WebSocketConnection;
  #isFull = false;

  constructor(ws: WebSocket, deps: SocketDeps) {
    super({ readableHighWaterMark: READ_BUFFER_BYTES, writableHighWaterMark: WRITE_BUFFER_BYTES });
    this.#socket = new WebSocketConnection(ws, deps, {
      onMessage: (message) => {
        this.#isFull = !this.push(message);
      },
      mayRead: () => !this.#isFull,
    });
    this.#socket.signal.addEventListener('abort', () => this.destroy());
  }

  override _read(): void {
    this.#isFull = false;
    this.#socket.readOn();
  }

  override _write(chunk: Buffer, _encoding: string, callback: (error?: Error | null) => void): void {
    this.#socket.send(chunk, { callback });
  }

  override _writev(chunks: { readonly chunk: Buffer }[], callback: (error?: Error | null) => void): void {
    this.#socket.send(Buffer.concat(chunks.map(({ chunk }) => chunk)), { callback });
  }

  override _final(callback: (error?: Error | null) => void): void {
    this.#socket.conclude();
    callback();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#socket.close();
    callback(error);
  }
}
