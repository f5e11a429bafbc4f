import { once } from 'node:events';
import type { ReadStream, WriteStream } from 'node:tty';
import type { TerminalSize } from '../../core/terminal-size.ts';

/** Sizes of this terminal as they change, the first at once, until `signal` aborts. Empty where there is none. */
export async function* terminalSizes(output: WriteStream, signal: AbortSignal): AsyncGenerator<TerminalSize, void> {
  while (output.isTTY && !signal.aborted) {
    yield { columns: output.columns, rows: output.rows };
    await once(output, 'resize', { signal }).catch(() => undefined);
  }
}

/** Has this terminal hand over every key; answers what gives it back. */
export const rawKeys = (input: ReadStream): (() => void) => {
  if (!input.isTTY) return () => undefined;
  input.setRawMode(true);
  return () => void input.setRawMode(false);
};
