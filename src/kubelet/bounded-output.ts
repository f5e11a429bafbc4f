import { Writable } from 'node:stream';

/** Collects what several streams write, in the order it comes, up to a limit. */
export class BoundedOutput {
  readonly #limit: number;
  readonly #onFull: () => void;
  readonly #chunks: Uint8Array[] = [];
  #length = 0;

  /** `onFull` is called once the limit, in bytes, is passed: what comes after that is dropped. */
  constructor(limit: number, onFull: () => void) {
    this.#limit = limit;
    this.#onFull = onFull;
  }

  get isFull(): boolean {
    return this.#length > this.#limit;
  }

  get bytes(): Uint8Array {
    return Buffer.concat(this.#chunks);
  }

  /** A stream into it. */
  stream(): Writable {
    return new Writable({
      write: (chunk: Uint8Array, _encoding, done) => {
        this.#add(chunk);
        done();
      },
    });
  }

  #add(chunk: Uint8Array): void {
    if (this.isFull) return;
    this.#length += chunk.length;
    if (this.isFull) this.#onFull();
    else this.#chunks.push(chunk);
  }
}
