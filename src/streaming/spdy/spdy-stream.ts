import { Duplex } from 'node:stream';
import type { StreamHeaders } from './header-inflater.ts';

/** What a stream needs of its connection. */
export interface StreamCarrier {
  /** Calls back when more may be written; an error where the connection is gone. */
  send(streamId: number, data: Uint8Array, fin: boolean, callback: (error?: Error) => void): void;
  /** The stream's reader has taken something. */
  readOn(): void;
  /** The stream is over. `reset`: the peer must be told. */
  forget(stream: SpdyStream, reset: boolean): void;
}

/** Bytes a stream holds unread before its connection stops reading. */
export const READ_BUFFER_BYTES = 1_048_576;
const WRITE_BUFFER_BYTES = 65_536;

/**
 * One stream of a SPDY connection: a duplex whose halves end on their own. Destroying it before both halves have ended
 * resets it (CANCEL).
 */
export class SpdyStream extends Duplex {
  readonly id: number;
  readonly headers: StreamHeaders;
  readonly #carrier: StreamCarrier;
  #remoteEnded = false;
  #wasReset = false;

  constructor(carrier: StreamCarrier, id: number, headers: StreamHeaders) {
    super({
      allowHalfOpen: true,
      readableHighWaterMark: READ_BUFFER_BYTES,
      writableHighWaterMark: WRITE_BUFFER_BYTES,
    });
    this.#carrier = carrier;
    this.id = id;
    this.headers = headers;
  }

  /** Data of the peer's. */
  receive(data: Buffer): void {
    if (!this.#remoteEnded && !this.destroyed && data.length > 0) this.push(data);
  }

  /** The peer writes no more. */
  receiveEnd(): void {
    if (this.#remoteEnded || this.destroyed) return;
    this.#remoteEnded = true;
    this.push(null);
    if (this.writableFinished) this.#carrier.forget(this, false);
  }

  /** The peer gave it up. */
  receiveReset(): void {
    this.#wasReset = true;
    this.destroy();
  }

  // Every way to consume a stream goes through here. (`_read` is also called when nothing was consumed.)
  override read(size?: number): unknown {
    const data: unknown = super.read(size);
    if (data !== null) this.#carrier.readOn();
    return data;
  }

  override _read(): void {
    // The connection pushes.
  }

  override _write(data: Buffer, _encoding: string, callback: (error?: Error | null) => void): void {
    this.#carrier.send(this.id, data, false, callback);
  }

  override _writev(chunks: { readonly chunk: Buffer }[], callback: (error?: Error | null) => void): void {
    this.#carrier.send(this.id, Buffer.concat(chunks.map(({ chunk }) => chunk)), false, callback);
  }

  override _final(callback: (error?: Error | null) => void): void {
    this.#carrier.send(this.id, EMPTY, true, (error) => {
      if (this.#remoteEnded) this.#carrier.forget(this, false);
      callback(error);
    });
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    const bothEnded = this.#remoteEnded && this.writableFinished;
    this.#carrier.forget(this, !bothEnded && !this.#wasReset);
    callback(error);
  }
}

const EMPTY = Buffer.alloc(0);
