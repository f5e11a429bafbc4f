import type { Readable, Writable } from 'node:stream';

/**
 * Pipes a caller's input into a process, its end too. A process that reads no further leaves the rest to be dropped: kept,
 * it would keep the caller's connection from being read.
 */
export const feed = (input: Readable, process: Writable): void => {
  input.pipe(process);
  // The process has ended, or closed its input.
  process.on('error', () => undefined);
  process.once('close', () => {
    input.unpipe(process);
    input.resume();
  });
};
