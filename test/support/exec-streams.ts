import { PassThrough, Writable } from 'node:stream';
import type { TerminalSize } from '../../src/core/terminal-size.ts';
import type { RemoteStreams } from '../../src/ports/remote-streams.ts';

export interface ExecStreams {
  readonly streams: RemoteStreams;
  readonly stdin: PassThrough;
  readonly out: () => Buffer;
  readonly err: () => Buffer;
}

export interface ExecStreamsOptions {
  /** What is typed at once, and then nothing more. Undefined: no input at all, unless it is `open`. */
  readonly input?: Uint8Array | string;
  /** There is input, which the test writes by itself. */
  readonly open?: boolean;
  readonly sizes?: readonly TerminalSize[];
  readonly tty?: boolean;
  /** How long each piece of output takes to be taken. */
  readonly slowMs?: number;
}

/** The caller's ends of a remote command, with what came out of it. */
export const execStreams = ({
  input,
  open = false,
  sizes = [],
  tty = false,
  slowMs = 0,
}: ExecStreamsOptions = {}): ExecStreams => {
  const stdin = new PassThrough();
  const [out, err]: [Buffer[], Buffer[]] = [[], []];
  if (input !== undefined) stdin.end(input);
  return {
    stdin,
    out: () => Buffer.concat(out),
    err: () => Buffer.concat(err),
    streams: {
      ...((open || input !== undefined) && { stdin }),
      stdout: collector(out, slowMs),
      ...(!tty && { stderr: collector(err, slowMs) }),
      sizes: fixed(sizes),
    },
  };
};

const collector = (pieces: Buffer[], slowMs: number): Writable =>
  new Writable({
    write: (chunk: Buffer, _encoding, callback) => {
      pieces.push(Buffer.from(chunk));
      if (slowMs === 0) callback();
      else setTimeout(callback, slowMs);
    },
  });

async function* fixed(sizes: readonly TerminalSize[]): AsyncGenerator<TerminalSize, void> {
  yield* sizes;
}
