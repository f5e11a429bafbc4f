import type { Duplex } from 'node:stream';
import type { Clock } from '../../core/clock.ts';
import { type Frame, FrameReader } from './frame-reader.ts';
import { controlFrame, dataFrames, FLAG_FIN, FRAME_TYPES, goAwayFrame, RESET, resetFrame, uint32 } from './frames.ts';
import { HeaderInflater, type StreamHeaders } from './header-inflater.ts';
import { SpdyError } from './spdy-error.ts';
import { READ_BUFFER_BYTES, SpdyStream, type StreamCarrier } from './spdy-stream.ts';

export interface SpdyConnectionOptions {
  readonly clock: Clock;
  /** Closed when nothing was received or sent for this long. */
  readonly idleTimeoutMs: number;
  /** Streams open at a time (default 1000); more are refused. */
  readonly maxStreams?: number;
  /** False refuses the stream. */
  readonly accept: (headers: StreamHeaders, id: number) => boolean;
  /** A stream the peer has opened, after it was answered. */
  readonly onStream: (stream: SpdyStream) => void;
}

const MAX_STREAMS = 1_000;
/** What all streams of a connection together may hold unread. */
const CONNECTION_BUFFER_BYTES = 8 * READ_BUFFER_BYTES;
const GOODBYE_MS = 5_000;
/** Answers to control frames that may wait to be sent before no more are read: a client may ping and never listen. */
const CONTROL_BUFFER_BYTES = READ_BUFFER_BYTES;

interface Sending {
  readonly streamId: number;
  readonly frames: readonly Uint8Array[];
  readonly callback: (error?: Error) => void;
}

/**
 * The server end of SPDY/3.1 as Kubernetes' clients speak it (Go's spdystream): streams only the client opens, headers of
 * Kubernetes' own alone, no flow control. The one brake is not to read the socket, which happens as soon as a stream's
 * reader is behind.
 */
export class SpdyConnection implements StreamCarrier {
  readonly #io: Duplex;
  readonly #options: SpdyConnectionOptions;
  readonly #streams = new Map<number, SpdyStream>();
  readonly #inflater = new HeaderInflater();
  readonly #ended = new AbortController();
  #lastStreamId = 0;
  #replies = 0;
  #behind: SpdyStream | undefined;
  #goOn: () => void = () => undefined;
  readonly #waiting: Sending[] = [];
  #activeAt: number;

  /** Speaks on `io` from now on; `head` are bytes that were read from it already. */
  constructor(io: Duplex, head: Uint8Array, options: SpdyConnectionOptions) {
    this.#io = io;
    this.#options = options;
    this.#activeAt = options.clock.now();
    io.on('drain', () => this.#sendOn());
    io.on('error', (error) => this.destroy(error));
    io.on('close', () => this.destroy());
    if (head.length > 0) io.unshift(head);
    void this.#readAll();
    void this.#watchIdle();
  }

  /** Aborts when the connection is gone; the reason says why. */
  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  /** Says goodbye and closes: at once after what was written is gone, or after five seconds. */
  close(): void {
    if (this.signal.aborted) return;
    for (const sending of this.#waiting.splice(0)) this.#write(sending);
    this.#io.write(goAwayFrame(this.#lastStreamId));
    // Its types leave out the error it calls back with.
    this.#io.end((error?: Error | null) => this.destroy(error ?? undefined));
    void this.#options.clock.sleep(GOODBYE_MS, this.signal).then(
      () => this.destroy(),
      () => undefined,
    );
  }

  /** Cuts the connection and destroys its streams. */
  destroy(error: Error = new SpdyError('the connection was closed')): void {
    if (this.signal.aborted) return;
    this.#ended.abort(error);
    for (const { callback } of this.#waiting.splice(0)) callback(error);
    this.#inflater.close();
    for (const stream of this.#streams.values()) stream.receiveReset();
    this.#goOn();
    this.#io.destroy();
  }

  send(streamId: number, data: Uint8Array, fin: boolean, callback: (error?: Error) => void): void {
    if (this.signal.aborted) return callback(new SpdyError('the connection was closed'));
    const sending = { streamId, frames: dataFrames(streamId, data, fin ? FLAG_FIN : 0), callback };
    if (this.#waiting.length > 0 || this.#io.writableNeedDrain) this.#waiting.push(sending);
    else this.#write(sending);
  }

  readOn(): void {
    if (this.#behind !== undefined && !this.#isBehind(this.#behind)) this.#goOn();
  }

  forget(stream: SpdyStream, reset: boolean): void {
    if (this.#streams.get(stream.id) === stream) this.#streams.delete(stream.id);
    if (reset && !this.signal.aborted) this.#io.write(resetFrame(stream.id, RESET.cancel));
    this.readOn();
  }

  async #readAll(): Promise<void> {
    const frames = new FrameReader();
    try {
      for await (const chunk of this.#io as AsyncIterable<Buffer>) {
        this.#touch();
        for (const frame of frames.read(chunk)) {
          await this.#take(frame);
          if (this.signal.aborted) return;
        }
      }
      this.destroy();
    } catch (error) {
      this.destroy(error instanceof Error ? error : new SpdyError(String(error)));
    }
  }

  async #take(frame: Frame): Promise<void> {
    if (frame.kind === 'data') return this.#takeData(frame);
    await this.#takeControl(frame);
    if (this.#io.writableLength > CONTROL_BUFFER_BYTES) await this.#drained();
  }

  async #takeControl({ type, flags, body }: Extract<Frame, { kind: 'control' }>): Promise<void> {
    switch (type) {
      case FRAME_TYPES.synStream:
        return this.#open(flags, body);
      case FRAME_TYPES.rstStream:
        return this.#streams.get(numberAt(body, 0))?.receiveReset();
      case FRAME_TYPES.ping:
        // Odd ids are the client's; we send none.
        if (numberAt(body, 0) % 2 === 1) this.#io.write(controlFrame(FRAME_TYPES.ping, 0, body.subarray(0, 4)));
        return;
      case FRAME_TYPES.synReply:
      case FRAME_TYPES.headers:
        // They share the header stream: skipping one would garble all that follow.
        throw new SpdyError(`a frame of type ${type}, which no client of this protocol sends`);
      default:
        // GOAWAY: the client closes next. SETTINGS, WINDOW_UPDATE: there is no flow control.
        return;
    }
  }

  async #takeData({ streamId, data, fin }: Extract<Frame, { kind: 'data' }>): Promise<void> {
    const stream = this.#streams.get(streamId);
    // What belongs to a stream that is gone is dropped.
    if (stream === undefined) return;
    stream.receive(data);
    if (fin) stream.receiveEnd();
    if (this.#isBehind(stream)) await this.#untilRead(stream);
  }

  #isBehind(stream: SpdyStream): boolean {
    const share = Math.min(READ_BUFFER_BYTES, CONNECTION_BUFFER_BYTES / this.#streams.size);
    return !stream.destroyed && stream.readableLength >= share;
  }

  #drained(): Promise<void> {
    return new Promise((resolve) => {
      this.#io.once('drain', resolve);
      this.signal.addEventListener('abort', () => resolve(), { once: true });
    });
  }

  #untilRead(stream: SpdyStream): Promise<void> {
    return new Promise((resolve) => {
      this.#behind = stream;
      this.#goOn = () => {
        this.#behind = undefined;
        resolve();
      };
    });
  }

  async #open(flags: number, body: Buffer): Promise<void> {
    const id = numberAt(body, 0);
    // Inflated even where it is refused: the header stream goes on.
    const headers = await this.#inflater.read(body.subarray(10));
    if (id % 2 === 0 || id <= this.#lastStreamId) throw new SpdyError(`stream id ${id} after ${this.#lastStreamId}`);
    this.#lastStreamId = id;
    const full = this.#streams.size >= (this.#options.maxStreams ?? MAX_STREAMS);
    if (full || !this.#options.accept(headers, id)) {
      this.#io.write(resetFrame(id, RESET.refusedStream));
      return;
    }
    const stream = new SpdyStream(this, id, headers);
    stream.on('error', () => undefined);
    this.#streams.set(id, stream);
    this.#io.write(controlFrame(FRAME_TYPES.synReply, 0, uint32(id), this.#emptyHeaders()));
    if ((flags & FLAG_FIN) !== 0) stream.receiveEnd();
    this.#options.onStream(stream);
  }

  /**
   * An empty header block without a compressor: a stored block of the number 0. The empty stored block after it makes
   * Go's inflater hand the bytes out.
   */
  #emptyHeaders(): Buffer {
    this.#replies += 1;
    return this.#replies === 1 ? Buffer.concat([ZLIB_HEAD, NO_HEADERS]) : NO_HEADERS;
  }

  #sendOn(): void {
    while (!this.#io.writableNeedDrain) {
      const next = this.#waiting.shift();
      if (next === undefined) return;
      this.#write(next);
    }
  }

  #write({ streamId, frames, callback }: Sending): void {
    if (!this.#streams.has(streamId)) return callback(new SpdyError('the stream was given up'));
    this.#touch();
    this.#io.cork();
    for (const frame of frames) this.#io.write(frame);
    this.#io.uncork();
    callback();
  }

  #touch(): void {
    this.#activeAt = this.#options.clock.now();
  }

  async #watchIdle(): Promise<void> {
    const { clock, idleTimeoutMs } = this.#options;
    try {
      for (;;) {
        const left = this.#activeAt + idleTimeoutMs - clock.now();
        if (left <= 0) return this.close();
        await clock.sleep(left, this.signal);
      }
    } catch {
      // The connection is gone.
    }
  }
}

const ZLIB_HEAD = Buffer.from([0x78, 0x01]);
const NO_HEADERS = Buffer.from([0, 4, 0, 0xfb, 0xff, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]);

const numberAt = (body: Buffer, at: number): number => {
  if (body.length < at + 4) throw new SpdyError('a control frame that ends early');
  return body.readUInt32BE(at) & 0x7fffffff;
};
