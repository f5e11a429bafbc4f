const CARRIAGE_RETURN = 0x0d;
const LINE_FEED = 0x0a;

/**
 * Undoes what a terminal with its first settings does to output: every LF goes out as CR LF. Exact: a CR before an LF is
 * always the terminal's own, and one that the program wrote stands before that.
 */
export class NewlineDecoder {
  #pendingReturn = false;

  decode(bytes: Buffer): readonly Buffer[] {
    const out = Buffer.allocUnsafe(bytes.length + 1);
    let length = 0;
    for (const byte of bytes) {
      if (this.#pendingReturn && byte !== LINE_FEED) out[length++] = CARRIAGE_RETURN;
      this.#pendingReturn = byte === CARRIAGE_RETURN;
      if (!this.#pendingReturn) out[length++] = byte;
    }
    return [out.subarray(0, length)];
  }

  /** A CR at the very end. */
  end(): Buffer {
    const rest = this.#pendingReturn ? Buffer.of(CARRIAGE_RETURN) : Buffer.alloc(0);
    this.#pendingReturn = false;
    return rest;
  }
}
