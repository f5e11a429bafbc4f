import type { OutputSink } from '../runtime.ts';

const headBytes = 8;

/**
 * Takes the engine's framing off what a container without a terminal writes: `{stream, 0, 0, 0, length (4 bytes)}` before
 * each piece (Engine API, "attach to a container"). Pieces are handed on as they come, stdout and stderr alike.
 */
export class OutputFrames {
  readonly #sink: OutputSink;
  #head: Buffer = Buffer.alloc(0);
  #left = 0;

  constructor(sink: OutputSink) {
    this.#sink = sink;
  }

  push(chunk: Buffer): void {
    let data = chunk;
    while (data.length > 0) {
      if (this.#left > 0) {
        const piece = data.subarray(0, this.#left);
        this.#left -= piece.length;
        data = data.subarray(piece.length);
        this.#sink(piece);
        continue;
      }
      const missing = headBytes - this.#head.length;
      this.#head = Buffer.concat([this.#head, data.subarray(0, missing)]);
      data = data.subarray(missing);
      if (this.#head.length < headBytes) return;
      this.#left = this.#head.readUInt32BE(4);
      this.#head = Buffer.alloc(0);
    }
  }
}
