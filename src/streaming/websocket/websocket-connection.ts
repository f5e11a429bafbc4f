import { type RawData, WebSocket } from 'ws';
import type { Clock } from '../../core/clock.ts';
import type { StreamConnection } from '../stream-connection.ts';

export interface SocketDeps {
  readonly clock: Clock;
}

export interface SocketUser {
  readonly onMessage: (message: Buffer) => void;
  /** Whether the user has room for more messages. When that changes it calls `readOn`. */
  readonly mayRead: () => boolean;
}

export interface SendCallbacks {
  /** More may be sent; with an error where the connection is gone. */
  readonly callback?: ((error?: Error) => void) | undefined;
  /** The message has left, or never will. */
  readonly onSent?: () => void;
}

const GOODBYE_MS = 5_000;
/** What may wait to be sent before senders are held back. */
const WRITE_BUFFER_BYTES = 262_144;
/** With answers to pings among it: then no more is read. A client may ping and never listen. */
const CONTROL_BUFFER_BYTES = 1_048_576;

/** A WebSocket with back-pressure both ways, our own answers to pings, and a bounded goodbye. */
export class WebSocketConnection implements StreamConnection {
  readonly #ws: WebSocket;
  readonly #clock: Clock;
  readonly #user: SocketUser;
  readonly #ended = new AbortController();
  /** What was sent and not called back for. (The socket's own figure says 0 as soon as the kernel has it.) */
  #unsent = 0;
  #fault: Error | undefined;
  #heardAt: number;

  constructor(ws: WebSocket, { clock }: SocketDeps, user: SocketUser) {
    this.#ws = ws;
    this.#clock = clock;
    this.#user = user;
    this.#heardAt = clock.now();
    ws.on('message', (data) => this.#receive(data));
    ws.on('ping', (data) => this.#answer(data));
    ws.on('pong', () => this.#hear());
    ws.on('error', (error) => {
      this.#fault = error;
      this.close();
    });
    ws.on('close', (code) => this.#ended.abort(this.#fault ?? new Error(`the WebSocket was closed with code ${code}`)));
  }

  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  get heardAt(): number {
    return this.#heardAt;
  }

  /** Sends text for a string, else binary. */
  send(message: Uint8Array | string, { callback, onSent }: SendCallbacks): void {
    if (this.#ws.readyState !== WebSocket.OPEN) {
      onSent?.();
      return callback?.(new Error('the connection was closed'));
    }
    const hasRoom = this.#unsent < WRITE_BUFFER_BYTES;
    this.#unsent += message.length;
    // Its types leave out the null it calls back with.
    this.#ws.send(message, (error?: Error | null) => {
      this.#unsent -= message.length;
      onSent?.();
      if (!hasRoom) callback?.(error ?? undefined);
    });
    if (hasRoom) callback?.();
  }

  readOn(): void {
    if (this.#ws.isPaused && this.#mayRead()) this.#ws.resume();
  }

  ping(): void {
    if (this.#ws.readyState !== WebSocket.OPEN || this.#ws.bufferedAmount > CONTROL_BUFFER_BYTES) return;
    this.#ws.ping();
    // The client's own pings are not seen now, and kubectl leaves after a minute without an answer.
    if (this.#ws.isPaused) this.#ws.pong();
  }

  conclude(): void {
    this.#ws.close(1_000);
  }

  close(): void {
    if (this.signal.aborted) return;
    this.#ws.close(1_000);
    void this.#clock.sleep(GOODBYE_MS, this.signal).then(
      () => this.destroy(),
      () => undefined,
    );
  }

  destroy(error?: Error): void {
    this.#fault ??= error;
    this.#ws.terminate();
  }

  #hear(): void {
    this.#heardAt = this.#clock.now();
  }

  #receive(data: RawData): void {
    this.#hear();
    this.#user.onMessage(toBuffer(data));
    if (!this.#mayRead()) this.#ws.pause();
  }

  #answer(data: Buffer): void {
    this.#hear();
    this.#ws.pong(data, false, () => this.readOn());
    if (!this.#mayRead()) this.#ws.pause();
  }

  #mayRead(): boolean {
    return this.#ws.bufferedAmount <= CONTROL_BUFFER_BYTES && this.#user.mayRead();
  }
}

/** It is one buffer already unless asked for otherwise. */
const toBuffer = (data: RawData): Buffer => {
  if (Buffer.isBuffer(data)) return data;
  return Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data);
};
