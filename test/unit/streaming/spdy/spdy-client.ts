import { type Duplex, duplexPair } from 'node:stream';
import { constants, createInflate } from 'node:zlib';
import { SPDY_DICTIONARY } from '../../../../src/streaming/spdy/dictionary.ts';
import type { StreamHeaders } from '../../../../src/streaming/spdy/header-inflater.ts';
import { SpdyConnection, type SpdyConnectionOptions } from '../../../../src/streaming/spdy/spdy-connection.ts';
import type { SpdyStream } from '../../../../src/streaming/spdy/spdy-stream.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import { HeaderDeflater, uint32 } from '../../../support/streaming/header-deflater.ts';

/** A frame the server sent, in words: `reply 1`, `data 3 fin 68656c6c6f`, `reset 3 5`, `ping 1`, `goaway 7`. */
export type Words = string;

/** The client's end, written apart from the server's codec. */
export class SpdyClient {
  readonly io: Duplex;
  readonly server: SpdyConnection;
  readonly clock = new FakeClock();
  readonly streams = new Map<string, SpdyStream>();
  readonly #headers = new HeaderDeflater();
  readonly #received: Buffer[] = [];
  #listening = false;
  #barriers = 1_000_001;

  constructor(
    options: Partial<SpdyConnectionOptions> & {
      readonly head?: Buffer;
      readonly pair?: readonly [Duplex, Duplex];
    } = {},
  ) {
    const [mine, theirs] = options.pair ?? duplexPair({ highWaterMark: 65_536 });
    this.io = mine;
    mine.on('error', () => undefined);
    this.server = new SpdyConnection(theirs, options.head ?? Buffer.alloc(0), {
      clock: this.clock,
      accept: () => true,
      onStream: (stream) => this.streams.set(stream.headers.streamtype ?? String(stream.id), stream),
      ...options,
    });
  }

  /** Keeps all the server sends. */
  listen(): this {
    this.#listening = true;
    this.io.on('data', (chunk: Buffer) => this.#received.push(chunk));
    return this;
  }

  get received(): Buffer {
    return Buffer.concat(this.#received);
  }

  async open(id: number, headers: StreamHeaders, flags = 0): Promise<void> {
    this.send(await this.synStream(id, headers, flags));
    await this.barrier();
  }

  async synStream(id: number, headers: StreamHeaders, flags = 0): Promise<Buffer> {
    const body = Buffer.concat([uint32(id), uint32(0), Buffer.from([0, 0]), await this.#headers.block(headers)]);
    return control(1, body, flags);
  }

  send(...frames: readonly Uint8Array[]): void {
    for (const frame of frames) this.io.write(frame);
  }

  /**
   * Until the server has taken all that was sent: it answers pings in their order. Where the client does not listen (or
   * the server has stopped to), until nothing moves by itself.
   */
  async barrier(): Promise<void> {
    const ping = control(6, uint32((this.#barriers += 2)));
    if (this.#listening) {
      this.io.write(ping);
      while (!this.server.signal.aborted && !this.received.includes(ping)) await tick();
    }
    await settle();
  }

  /** What has come so far, a frame a word, after a barrier; barriers left out. */
  async words(): Promise<readonly Words[]> {
    await this.barrier();
    return wordsOf(this.received).filter((word) => !/^ping 1\d{6}$/.test(word));
  }
}

export const control = (type: number, body: Uint8Array, flags = 0, version = 3): Buffer => {
  const head = Buffer.from([0x80, version, 0, type, flags, 0, 0, 0]);
  head.writeUIntBE(body.length, 5, 3);
  return Buffer.concat([head, body]);
};

export const data = (streamId: number, payload: Uint8Array | string, fin = false): Buffer => {
  const bytes = Buffer.from(payload);
  const head = Buffer.concat([uint32(streamId), Buffer.from([fin ? 1 : 0, 0, 0, 0])]);
  head.writeUIntBE(bytes.length, 5, 3);
  return Buffer.concat([head, bytes]);
};

const tick = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Lets streams and promises (not zlib, which has threads of its own) get as far as they can. */
export const settle = async (): Promise<void> => {
  for (let round = 0; round < 20; round += 1) await tick();
};

export const until = async (condition: () => boolean): Promise<void> => {
  while (!condition()) await tick();
};

export const wordsOf = (bytes: Buffer): readonly Words[] => {
  const words: Words[] = [];
  for (let at = 0; at < bytes.length; ) {
    const first = bytes.readUInt32BE(at);
    const [flags, length] = [bytes.readUInt8(at + 4), bytes.readUIntBE(at + 5, 3)];
    const body = bytes.subarray(at + 8, at + 8 + length);
    at += 8 + length;
    if (first < 0x80000000)
      words.push(`data ${first}${flags === 1 ? ' fin' : ''}${length === 0 ? '' : ` ${body.toString('hex')}`}`);
    else words.push(`${NAMES[first & 0xffff]} ${numbersOf(first & 0xffff, body)}`);
  }
  return words;
};

const NAMES: Readonly<Record<number, string>> = { 2: 'reply', 3: 'reset', 6: 'ping', 7: 'goaway' };

const numbersOf = (type: number, body: Buffer): string =>
  type === 3 ? `${body.readUInt32BE(0)} ${body.readUInt32BE(4)}` : String(body.readUInt32BE(0));

/** Header blocks of the server's SYN_REPLY frames, inflated as a client does: in one go, a block after the other. */
export const replyHeaders = async (bytes: Buffer): Promise<readonly Buffer[]> => {
  const inflate = createInflate({ dictionary: SPDY_DICTIONARY });
  const blocks: Buffer[] = [];
  for (let at = 0; at < bytes.length; ) {
    const length = bytes.readUIntBE(at + 5, 3);
    if (bytes.readUInt32BE(at) === 0x80030002) {
      const parts: Buffer[] = [];
      inflate.on('data', (part: Buffer) => parts.push(part));
      inflate.write(bytes.subarray(at + 12, at + 8 + length));
      await new Promise<void>((resolve) => inflate.flush(constants.Z_SYNC_FLUSH, () => resolve()));
      inflate.removeAllListeners('data');
      blocks.push(Buffer.concat(parts));
    }
    at += 8 + length;
  }
  return blocks;
};
