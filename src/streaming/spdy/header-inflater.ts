import { constants, createInflate } from 'node:zlib';
import { SPDY_DICTIONARY } from './dictionary.ts';
import { SpdyError } from './spdy-error.ts';

export type StreamHeaders = Readonly<Record<string, string>>;

const MAX_INFLATED_BYTES = 65_536;
const MAX_HEADERS = 100;

/**
 * Reads the header blocks of one direction of one connection: a single zlib stream, flushed after each block. Blocks must
 * be given in order, one after the other.
 */
export class HeaderInflater {
  readonly #inflate = createInflate({ dictionary: SPDY_DICTIONARY });
  #parts: Buffer[] = [];
  #length = 0;
  #fail: (error: Error) => void = () => undefined;

  constructor() {
    this.#inflate.on('data', (part: Buffer) => this.#collect(part));
    this.#inflate.on('error', (error) => this.#fail(new SpdyError(`a header block that is no zlib: ${error.message}`)));
  }

  /** Names in lower case. @throws {SpdyError} for a broken or over-long block; nothing can be read after it. */
  async read(block: Buffer): Promise<StreamHeaders> {
    this.#parts = [];
    this.#length = 0;
    await new Promise<void>((resolve, reject) => {
      this.#fail = reject;
      if (this.#inflate.destroyed) return reject(new SpdyError('the header stream is broken'));
      this.#inflate.write(block);
      this.#inflate.flush(constants.Z_SYNC_FLUSH, () => resolve());
    });
    return parseHeaders(Buffer.concat(this.#parts));
  }

  close(): void {
    this.#fail(new SpdyError('the connection was closed'));
    this.#inflate.destroy();
  }

  #collect(part: Buffer): void {
    this.#length += part.length;
    if (this.#length <= MAX_INFLATED_BYTES) {
      this.#parts.push(part);
      return;
    }
    // Stops inflating at once: a small block can hold a thousand times its size.
    this.#fail(new SpdyError(`a header block of more than ${MAX_INFLATED_BYTES} bytes`));
    this.#inflate.destroy();
  }
}

const parseHeaders = (block: Buffer): StreamHeaders => {
  let at = 0;
  const number = (): number => {
    if (at + 4 > block.length) throw new SpdyError('a header block that ends early');
    at += 4;
    return block.readUInt32BE(at - 4);
  };
  const text = (): string => {
    const length = number();
    if (at + length > block.length) throw new SpdyError('a header block that ends early');
    at += length;
    return block.toString('latin1', at - length, at);
  };
  const count = number();
  if (count > MAX_HEADERS) throw new SpdyError(`${count} headers: at most ${MAX_HEADERS}`);
  const pairs = Array.from({ length: count }, () => [text().toLowerCase(), text()] as const);
  return Object.fromEntries(pairs);
};
