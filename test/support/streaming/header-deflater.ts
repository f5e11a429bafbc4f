import { constants, createDeflate } from 'node:zlib';
import { SPDY_DICTIONARY } from '../../../src/streaming/spdy/dictionary.ts';

/** The header blocks of one direction of a SPDY connection, as a client writes them: one after the other. */
export class HeaderDeflater {
  readonly #deflate = createDeflate({ dictionary: SPDY_DICTIONARY });

  async block(headers: Readonly<Record<string, string>>): Promise<Buffer> {
    const pairs = Object.entries(headers);
    const texts = pairs.flat().flatMap((text) => [uint32(text.length), Buffer.from(text)]);
    const parts: Buffer[] = [];
    const onData = (part: Buffer): void => void parts.push(part);
    this.#deflate.on('data', onData);
    this.#deflate.write(Buffer.concat([uint32(pairs.length), ...texts]));
    await new Promise<void>((resolve) => this.#deflate.flush(constants.Z_SYNC_FLUSH, () => resolve()));
    this.#deflate.off('data', onData);
    return Buffer.concat(parts);
  }
}

export const uint32 = (value: number): Buffer => {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
};
