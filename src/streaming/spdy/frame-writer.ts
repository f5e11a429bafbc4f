import type { Duplex } from 'node:stream';
import { dataFrames, FLAG_FIN } from './frames.ts';
import { SpdyError } from './spdy-error.ts';

interface Sending {
  readonly streamId: number;
  readonly frames: Iterable<Uint8Array>;
  readonly callback: (error?: Error) => void;
}

/**
 * Writes frames to a socket that may be full: data then waits its turn, in order, and its streams' writers with it;
 * control frames do not wait.
 */
export class FrameWriter {
  readonly #io: Duplex;
  readonly #isOpen: (streamId: number) => boolean;
  #waiting: Sending[] = [];
  readonly #whenDrained: (() => void)[] = [];

  /** @param isOpen whether a stream's data, however late its turn comes, may still be sent */
  constructor(io: Duplex, isOpen: (streamId: number) => boolean) {
    this.#io = io;
    this.#isOpen = isOpen;
    io.on('drain', () => this.#goOn());
  }

  control(frame: Uint8Array): void {
    this.#io.write(frame);
  }

  /** Calls back when more may be given; with an error where the stream was given up meanwhile. */
  data(streamId: number, data: Uint8Array, fin: boolean, callback: (error?: Error) => void): void {
    const sending = { streamId, frames: dataFrames(streamId, data, fin ? FLAG_FIN : 0), callback };
    if (this.#waiting.length > 0 || this.#io.writableNeedDrain) this.#waiting.push(sending);
    else this.#write(sending);
  }

  /** Resolves when the socket has taken all, or `fail` was called. */
  drained(): Promise<void> {
    return new Promise((resolve) => this.#whenDrained.push(resolve));
  }

  /** Writes what waits, however full the socket. */
  flush(): void {
    for (const sending of this.#waiting.splice(0)) this.#write(sending);
  }

  /** Writes no more: what waits is called back with `error`. */
  fail(error: Error): void {
    for (const { callback } of this.#waiting.splice(0)) callback(error);
    this.#tellDrained();
  }

  #goOn(): void {
    this.#tellDrained();
    let written = 0;
    for (const sending of this.#waiting) {
      if (this.#io.writableNeedDrain) break;
      this.#write(sending);
      written += 1;
    }
    this.#waiting = this.#waiting.slice(written);
  }

  #write({ streamId, frames, callback }: Sending): void {
    if (!this.#isOpen(streamId)) return callback(new SpdyError('the stream was given up'));
    // One system call for a head and its payload.
    this.#io.cork();
    for (const frame of frames) this.#io.write(frame);
    this.#io.uncork();
    callback();
  }

  #tellDrained(): void {
    for (const resolve of this.#whenDrained.splice(0)) resolve();
  }
}
