import { Duplex } from 'node:stream';

/** What a stream needs of the connection that carries it among others. */
export interface StreamCarrier {
  /** Calls back when more may be written; with an error where the connection is gone. `fin`: the last of this stream. */
  send(streamId: number, data: Uint8Array, fin: boolean, callback: (error?: Error) => void): void;
  /** The stream's reader has taken something, or wants no more. */
  readOn(): void;
  /** The stream is over. `given up`: its user destroyed it before both halves had ended. */
  forget(stream: CarriedStream, how: 'ended' | 'given up' | 'reset'): void;
}

/** Bytes a stream holds unread before its connection stops reading. */
export const READ_BUFFER_BYTES = 1_048_576;
const WRITE_BUFFER_BYTES = 65_536;
/** Shorter pieces are sent together. */
const WORTH_COPYING_BYTES = 4_096;
/** What an unread piece costs beside its bytes, so that a million pieces of one byte do not pass for a mebibyte. */
const PIECE_BYTES = 256;

/** One stream of a connection that carries several: a duplex whose halves end on their own. */
export class CarriedStream extends Duplex {
  readonly id: number;
  readonly #carrier: StreamCarrier;
  #pieces = 0;
  #remoteEnded = false;
  #wasReset = false;
  #isDiscarding = false;

  constructor(carrier: StreamCarrier, id: number) {
    super({
      allowHalfOpen: true,
      readableHighWaterMark: READ_BUFFER_BYTES,
      writableHighWaterMark: WRITE_BUFFER_BYTES,
    });
    this.#carrier = carrier;
    this.id = id;
    // A connection that breaks is no fault of each of its streams' users.
    this.on('error', () => undefined);
  }

  /** Memory that unread data takes. */
  get heldBytes(): number {
    return this.destroyed || this.#isDiscarding ? 0 : this.readableLength + this.#pieces * PIECE_BYTES;
  }

  /** Data of the peer's. */
  receive(data: Buffer): void {
    if (this.#remoteEnded || this.#isDiscarding || this.destroyed || data.length === 0) return;
    this.push(data);
    this.#pieces = this.readableLength === 0 ? 0 : this.#pieces + 1;
  }

  /** The peer writes no more. */
  receiveEnd(): void {
    if (this.#remoteEnded || this.destroyed) return;
    this.#remoteEnded = true;
    this.push(null);
  }

  /** The peer gave it up. What it had ended itself before is still handed on. */
  receiveReset(): void {
    if (this.#remoteEnded && this.writableFinished) return;
    this.#wasReset = true;
    this.destroy();
  }

  /** Drops what comes from now on, and does not count what is there: nobody will read it. */
  discard(): void {
    this.#isDiscarding = true;
    if (!this.destroyed) this.resume();
    this.#carrier.readOn();
  }

  /**
   * Ends this half after `last`, also where the stream was destroyed. Resolves when the connection has taken it all, or is
   * gone.
   */
  finishWriting(last: Uint8Array = EMPTY): Promise<void> {
    return new Promise((resolve) => {
      if (this.writableFinished) resolve();
      else if (this.destroyed) this.#carrier.send(this.id, last, true, () => resolve());
      else if (last.length === 0) this.end(() => resolve());
      else this.end(last, () => resolve());
    });
  }

  // Every way to consume a stream goes through here. (`_read` is also called when nothing was consumed.)
  override read(size?: number): unknown {
    const data: unknown = super.read(size);
    if (data !== null) {
      this.#pieces = this.readableLength === 0 ? 0 : this.#pieces - 1;
      this.#carrier.readOn();
    }
    return data;
  }

  override _read(): void {
    // The connection pushes.
  }

  override _write(data: Buffer, _encoding: string, callback: (error?: Error | null) => void): void {
    this.#carrier.send(this.id, data, false, callback);
  }

  override _writev(chunks: { readonly chunk: Buffer }[], callback: (error?: Error | null) => void): void {
    const whole = this.writableLength < chunks.length * WORTH_COPYING_BYTES;
    const parts = whole ? [Buffer.concat(chunks.map(({ chunk }) => chunk))] : chunks.map(({ chunk }) => chunk);
    const last = parts.pop() ?? EMPTY;
    for (const part of parts) this.#carrier.send(this.id, part, false, () => undefined);
    this.#carrier.send(this.id, last, false, callback);
  }

  override _final(callback: (error?: Error | null) => void): void {
    this.#carrier.send(this.id, EMPTY, true, callback);
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    const bothEnded = this.#remoteEnded && this.writableFinished;
    this.#carrier.forget(this, this.#wasReset ? 'reset' : bothEnded ? 'ended' : 'given up');
    callback(error);
  }
}

const EMPTY = Buffer.alloc(0);
