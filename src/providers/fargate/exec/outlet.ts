import type { Writable } from 'node:stream';
import { TransientError } from '../../../core/errors.ts';

/** Writes to the caller's ends of output, and knows how much of it the caller has not taken yet. */
export class Outlet {
  readonly #onChange: (pendingBytes: number) => void;
  readonly #onFailure: (error: Error) => void;
  #pendingBytes = 0;
  readonly #waiting: (() => void)[] = [];

  constructor(handlers: {
    readonly onChange: (pendingBytes: number) => void;
    readonly onFailure: (error: Error) => void;
  }) {
    this.#onChange = handlers.onChange;
    this.#onFailure = handlers.onFailure;
  }

  /** Without a target the bytes are dropped: nobody asked for them. */
  write(target: Writable | undefined, bytes: Uint8Array): void {
    if (target === undefined || bytes.length === 0) return;
    this.#pendingBytes += bytes.length;
    target.write(bytes, (cause) => {
      this.#pendingBytes -= bytes.length;
      if (cause) this.#onFailure(new TransientError('the caller takes no more output', { cause }));
      if (this.#pendingBytes === 0) for (const resolve of this.#waiting.splice(0)) resolve();
      this.#onChange(this.#pendingBytes);
    });
    this.#onChange(this.#pendingBytes);
  }

  /** Resolves when everything was taken. */
  async taken(): Promise<void> {
    if (this.#pendingBytes > 0) await new Promise<void>((resolve) => this.#waiting.push(resolve));
  }
}
