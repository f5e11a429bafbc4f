import { SpdyError } from './spdy-error.ts';

export type Frame =
  | { readonly kind: 'control'; readonly type: number; readonly flags: number; readonly body: Buffer }
  /** A piece of a data frame as it arrived; `fin` with the last piece of a frame that ends its stream. */
  | { readonly kind: 'data'; readonly streamId: number; readonly data: Buffer; readonly fin: boolean };

/** No control frame of Kubernetes' clients comes near it. */
const MAX_CONTROL_BYTES = 65_536;
const HEAD_BYTES = 8;
const EMPTY = Buffer.alloc(0);

/**
 * Cuts a byte stream into frames. Control frames are answered whole and are bounded; data frames (up to 16 MB) in the
 * pieces they come in, so that nothing piles up here.
 */
export class FrameReader {
  #pending: Buffer = EMPTY;
  /** The rest of the data frame under way. */
  #data: { readonly streamId: number; readonly fin: boolean; left: number } | undefined;

  /**
   * Frames that `chunk` completes, in order.
   * @throws {SpdyError} for an over-long control frame or another version than 3, after the frames before it.
   */
  *read(chunk: Buffer): Generator<Frame, void, undefined> {
    let bytes = this.#pending.length === 0 ? chunk : Buffer.concat([this.#pending, chunk]);
    this.#pending = EMPTY;
    for (;;) {
      if (this.#data !== undefined) {
        const { streamId, fin, left } = this.#data;
        if (bytes.length === 0 && left > 0) return;
        const data = bytes.subarray(0, left);
        bytes = bytes.subarray(data.length);
        const ends = data.length === left;
        this.#data = ends ? undefined : { streamId, fin, left: left - data.length };
        yield { kind: 'data', streamId, data, fin: ends && fin };
        continue;
      }
      const control = this.#readHead(bytes);
      if (control === 'data') {
        bytes = bytes.subarray(HEAD_BYTES);
        continue;
      }
      if (control === undefined || bytes.length < HEAD_BYTES + control.length) {
        // Copied: the chunk it lies in may be large.
        this.#pending = Buffer.from(bytes);
        return;
      }
      const body = bytes.subarray(HEAD_BYTES, HEAD_BYTES + control.length);
      bytes = bytes.subarray(HEAD_BYTES + control.length);
      yield { kind: 'control', type: control.type, flags: control.flags, body };
    }
  }

  #readHead(bytes: Buffer): { type: number; flags: number; length: number } | 'data' | undefined {
    if (bytes.length < HEAD_BYTES) return undefined;
    const first = bytes.readUInt32BE(0);
    const flags = bytes.readUInt8(4);
    const length = bytes.readUIntBE(5, 3);
    if (first < 0x80000000) {
      this.#data = { streamId: first, fin: (flags & 1) === 1, left: length };
      return 'data';
    }
    const version = (first >>> 16) & 0x7fff;
    if (version !== 3) throw new SpdyError(`a control frame of version ${version}: only 3 is spoken here`);
    if (length > MAX_CONTROL_BYTES)
      throw new SpdyError(`a control frame of ${length} bytes: at most ${MAX_CONTROL_BYTES}`);
    return { type: first & 0xffff, flags, length };
  }
}
