import { writeSync } from 'node:fs';

/** A full terminal is asked again after this time. */
const RETRY_MS = 2;

/**
 * Writes to a terminal's master without waiting for it. The library writes through a handle of libuv's that spins while
 * the terminal is full: the loop that would read its output, and so empty it, then never runs.
 */
export class TerminalInput {
  readonly #descriptor: number;
  #waiting: Uint8Array[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** @param descriptor of the master; does not block. */
  constructor(descriptor: number) {
    this.#descriptor = descriptor;
  }

  write(data: Uint8Array): void {
    this.#waiting.push(Uint8Array.from(data));
    if (this.#timer === undefined) this.#drain();
  }

  /** Before the descriptor is closed: another file may have its number next. */
  end(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#waiting = [];
  }

  #drain(): void {
    this.#timer = undefined;
    for (let [first] = this.#waiting; first !== undefined; [first] = this.#waiting) {
      const written = this.#tryWrite(first);
      if (written < first.length) {
        this.#waiting[0] = first.subarray(written);
        this.#timer = setTimeout(() => this.#drain(), RETRY_MS);
        return;
      }
      this.#waiting.shift();
    }
  }

  #tryWrite(bytes: Uint8Array): number {
    try {
      return writeSync(this.#descriptor, bytes);
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return 0;
      // Nobody is there to read it any more.
      return bytes.length;
    }
  }
}
