import { Readable } from 'node:stream';

/** A body as the stream that Lambda's runtime pipes. `onLeave` is called at once when the other side goes. */
export class BodyStream extends Readable {
  readonly #chunks: AsyncIterator<Uint8Array>;
  readonly #onLeave: () => void;
  #reading = false;

  constructor(chunks: AsyncIterable<Uint8Array>, onLeave: () => void) {
    super();
    this.#chunks = chunks[Symbol.asyncIterator]();
    this.#onLeave = onLeave;
  }

  override _read(): void {
    if (this.#reading) return;
    this.#reading = true;
    void this.#pull();
  }

  override _destroy(error: Error | null, callback: (error?: Error | null) => void): void {
    this.#onLeave();
    callback(error);
  }

  async #pull(): Promise<void> {
    try {
      for (;;) {
        const next = await this.#chunks.next();
        if (next.done) return void this.push(null);
        // An empty chunk would not count as one, and nobody would ask for the next.
        if (next.value.byteLength > 0 && !this.push(next.value)) break;
      }
      this.#reading = false;
    } catch (error) {
      this.destroy(error instanceof Error ? error : new Error(String(error)));
    }
  }
}
