import * as z from 'zod/mini';
import type { TerminalSize } from '../../core/terminal-size.ts';

const cells = z.int().check(z.nonnegative(), z.maximum(65_535));
const message = z.object({ Width: cells, Height: cells });

/** No object of two numbers comes near it. */
const MAX_PENDING_CHARACTERS = 1_024;

/**
 * Sizes of the client's terminal: JSON objects, by kubectl one a line, by other clients one after the other. Only the
 * newest waits for its reader; what is no size is left out.
 */
export class TerminalSizes implements AsyncIterable<TerminalSize> {
  #text = '';
  #newest: TerminalSize | undefined;
  #isEnded = false;
  #wake: () => void = () => undefined;

  receive(data: Buffer): void {
    const parts = (this.#text + data.toString('latin1')).split('}');
    const rest = parts.pop() ?? '';
    this.#text = rest.length > MAX_PENDING_CHARACTERS ? '' : rest;
    for (const part of parts) this.#newest = sizeIn(part) ?? this.#newest;
    this.#wake();
  }

  /** No more will come. */
  end(): void {
    this.#isEnded = true;
    this.#wake();
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<TerminalSize, void, undefined> {
    for (;;) {
      const size = this.#newest;
      this.#newest = undefined;
      if (size !== undefined) yield size;
      else if (this.#isEnded) return;
      else await this.#next();
    }
  }

  #next(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve;
    });
  }
}

const sizeIn = (part: string): TerminalSize | undefined => {
  try {
    const { Width, Height } = message.parse(JSON.parse(`${part}}`));
    return { columns: Width, rows: Height };
  } catch {
    return undefined;
  }
};
