import type { Duplex } from 'node:stream';
import type { Clock } from '../../core/clock.ts';
import { type CarriedStream, READ_BUFFER_BYTES, type StreamCarrier } from '../carried-stream.ts';
import { isBehind } from '../read-budget.ts';
import type { StreamConnection } from '../stream-connection.ts';
import { type Frame, FrameReader } from './frame-reader.ts';
import { FrameWriter } from './frame-writer.ts';
import { controlFrame, FLAG_FIN, FRAME_TYPES, goAwayFrame, pingFrame, RESET, resetFrame, uint32 } from './frames.ts';
import { HeaderInflater, type StreamHeaders } from './header-inflater.ts';
import { SpdyError } from './spdy-error.ts';
import { SpdyStream } from './spdy-stream.ts';

export interface SpdyConnectionOptions {
  readonly clock: Clock;
  /** Streams open at a time (default 1000); more are refused. */
  readonly maxStreams?: number;
  /** False refuses the stream. */
  readonly accept: (headers: StreamHeaders, id: number) => boolean;
  /** A stream the peer has opened, after it was answered. */
  readonly onStream: (stream: SpdyStream) => void;
  /** Payload of a stream came or was sent. */
  readonly onData?: (stream: SpdyStream, bytesIn: number, bytesOut: number) => void;
  /**
   * Whether a stream its user destroys is reset at once (the default). Otherwise it is ended when the user says so: kubectl
   * prints an error for a reset of its input.
   */
  readonly resetsGivenUp?: boolean;
  /** Whether the peer says no more than that it writes no more when it resets this stream. Default: it destroys it. */
  readonly endsByReset?: (stream: SpdyStream) => boolean;
}

const MAX_STREAMS = 1_000;
const GOODBYE_MS = 5_000;
/** Answers to control frames that may wait to be sent before no more are read: a client may ping and never listen. */
const CONTROL_BUFFER_BYTES = READ_BUFFER_BYTES;

/**
 * The server end of SPDY/3.1 as Kubernetes' clients speak it (Go's spdystream): streams only the client opens, headers of
 * Kubernetes' own alone, no flow control. The one brake is not to read the socket, which happens as soon as a stream's
 * reader is behind.
 */
export class SpdyConnection implements StreamCarrier, StreamConnection {
  readonly #io: Duplex;
  readonly #options: SpdyConnectionOptions;
  readonly #streams = new Map<number, SpdyStream>();
  readonly #inflater = new HeaderInflater();
  readonly #writer: FrameWriter;
  readonly #ended = new AbortController();
  #lastStreamId = 0;
  #replies = 0;
  #pings = 0;
  #behind: SpdyStream | undefined;
  #goOn: () => void = () => undefined;
  #isClosing = false;
  #heardAt: number;

  /** Speaks on `io` from now on; `head` are bytes that were read from it already. */
  constructor(io: Duplex, head: Uint8Array, options: SpdyConnectionOptions) {
    this.#io = io;
    this.#options = options;
    this.#heardAt = options.clock.now();
    this.#writer = new FrameWriter(io, (streamId) => this.#streams.has(streamId));
    io.on('error', (error) => this.destroy(error));
    io.on('close', () => this.destroy());
    if (head.length > 0) io.unshift(head);
    void this.#readAll();
  }

  get signal(): AbortSignal {
    return this.#ended.signal;
  }

  get heardAt(): number {
    return this.#heardAt;
  }

  ping(): void {
    this.#pings = (this.#pings + 2) % 0x80000000;
    if (this.#isOpen && !this.#io.writableNeedDrain) this.#writer.control(pingFrame(this.#pings));
  }

  conclude(): void {
    // The ends of its streams have said it all.
  }

  /**
   * Says goodbye and no more. The connection is gone when the client has closed its end, at the latest after five seconds:
   * cut before, with something of the client's unread, it would be reset and lose what was written last.
   */
  close(): void {
    if (this.#isClosing || this.signal.aborted) return;
    this.#writer.flush();
    this.#writer.control(goAwayFrame(this.#lastStreamId));
    this.#isClosing = true;
    this.#io.end();
    this.#goOn();
    void this.#options.clock.sleep(GOODBYE_MS, this.signal).then(
      () => this.destroy(),
      () => undefined,
    );
  }

  /** Cuts the connection and destroys its streams. */
  destroy(error: Error = new SpdyError('the connection was closed')): void {
    if (this.signal.aborted) return;
    this.#ended.abort(error);
    this.#writer.fail(error);
    this.#inflater.close();
    for (const stream of this.#streams.values()) stream.receiveReset();
    this.#streams.clear();
    this.#goOn();
    this.#io.destroy();
  }

  send(streamId: number, data: Uint8Array, fin: boolean, callback: (error?: Error) => void): void {
    if (!this.#isOpen) return callback(new SpdyError('the connection was closed'));
    this.#writer.data(streamId, data, fin, (error) => {
      const stream = this.#streams.get(streamId);
      if (error === undefined && stream !== undefined) this.#options.onData?.(stream, 0, data.length);
      callback(error);
    });
  }

  readOn(): void {
    if (this.#behind !== undefined && !this.#isBehind(this.#behind)) this.#goOn();
  }

  forget(stream: CarriedStream, how: 'ended' | 'given up' | 'reset'): void {
    if (how !== 'given up') this.#streams.delete(stream.id);
    else if (this.#options.resetsGivenUp !== false) {
      this.#streams.delete(stream.id);
      if (this.#isOpen) this.#writer.control(resetFrame(stream.id, RESET.cancel));
    }
    this.readOn();
  }

  async #readAll(): Promise<void> {
    const frames = new FrameReader();
    try {
      for await (const chunk of this.#io as AsyncIterable<Buffer>) {
        this.#heardAt = this.#options.clock.now();
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

  get #isOpen(): boolean {
    return !this.#isClosing && !this.signal.aborted;
  }

  async #take(frame: Frame): Promise<void> {
    if (this.#isClosing) return;
    if (frame.kind === 'data') return this.#takeData(frame);
    await this.#takeControl(frame);
    if (this.#isOpen && this.#io.writableLength > CONTROL_BUFFER_BYTES) await this.#writer.drained();
  }

  async #takeControl({ type, flags, body }: Extract<Frame, { kind: 'control' }>): Promise<void> {
    switch (type) {
      case FRAME_TYPES.synStream:
        return this.#open(flags, body);
      case FRAME_TYPES.rstStream:
        return this.#reset(numberAt(body, 0));
      case FRAME_TYPES.ping: {
        const id = numberAt(body, 0);
        // Even ones are the answers to ours.
        if (id % 2 === 1) this.#writer.control(pingFrame(id));
        return;
      }
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
    this.#options.onData?.(stream, data.length, 0);
    stream.receive(data);
    if (fin) stream.receiveEnd();
    if (this.#isBehind(stream)) await this.#untilRead(stream);
  }

  #isBehind(stream: SpdyStream): boolean {
    return !this.#isClosing && isBehind(stream, this.#streams.size);
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

  #reset(streamId: number): void {
    const stream = this.#streams.get(streamId);
    if (stream !== undefined && this.#options.endsByReset?.(stream)) return stream.receiveEnd();
    stream?.receiveReset();
    // One its user had destroyed before is still there where it was not reset at once.
    if (stream?.destroyed === true) this.#streams.delete(streamId);
  }

  async #open(flags: number, body: Buffer): Promise<void> {
    const id = numberAt(body, 0);
    // Inflated even where it is refused: the header stream goes on.
    const headers = await this.#inflater.read(body.subarray(10));
    if (!this.#isOpen) return;
    if (id % 2 === 0 || id <= this.#lastStreamId) throw new SpdyError(`stream id ${id} after ${this.#lastStreamId}`);
    this.#lastStreamId = id;
    const full = this.#streams.size >= (this.#options.maxStreams ?? MAX_STREAMS);
    if (full || !this.#options.accept(headers, id)) {
      this.#writer.control(resetFrame(id, RESET.refusedStream));
      return;
    }
    const stream = new SpdyStream(this, id, headers);
    this.#streams.set(id, stream);
    this.#writer.control(controlFrame(FRAME_TYPES.synReply, 0, uint32(id), this.#emptyHeaders()));
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
}

const ZLIB_HEAD = Buffer.from([0x78, 0x01]);
const NO_HEADERS = Buffer.from([0, 4, 0, 0xfb, 0xff, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]);

const numberAt = (body: Buffer, at: number): number => {
  if (body.length < at + 4) throw new SpdyError('a control frame that ends early');
  return body.readUInt32BE(at) & 0x7fffffff;
};
