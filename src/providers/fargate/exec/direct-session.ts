import { InvalidError } from '../../../core/errors.ts';
import type { RemoteStreams } from '../../../ports/remote-streams.ts';
import { closingWords } from '../../../streaming/ssm/closing-words.ts';
import { NewlineDecoder } from './newline-decoder.ts';
import { pumpInput } from './pump-input.ts';
import { cutOff, type SessionAccess, type SessionDependencies, SessionIo } from './session-io.ts';
import { settleSession } from './settle-session.ts';
import { startFailureOf } from './start-failure.ts';
import { Control } from './terminal-input.ts';

/**
 * One command by itself, in an image without a shell. Standard error comes within the output, and no exit code comes at
 * all: it always throws, once all output was taken, because nobody can know that the command succeeded.
 */
export const runDirectSession = async (
  access: SessionAccess,
  streams: RemoteStreams,
  deps: SessionDependencies,
  signal: AbortSignal,
): Promise<number> => {
  const { tty } = access.framing;
  const newlines = new NewlineDecoder();
  const io: SessionIo = new SessionIo(access, streams, deps, (bytes) => {
    for (const piece of tty ? [bytes] : newlines.decode(Buffer.from(bytes))) io.stdout(piece);
  });
  const inputOver = new AbortController();
  const outcome = io.channel.ended.then(async (output): Promise<never> => {
    io.stdout(newlines.end());
    io.commandIsOver();
    await io.taken();
    const words = closingWords(output);
    throw startFailureOf(output) ?? (words === '' ? new InvalidError(UNKNOWN_EXIT_CODE) : cutOff(words));
  });
  if (tty) void io.resize();
  if (tty && streams.stdin !== undefined) {
    void pumpInput(streams.stdin, (bytes) => io.type(bytes), inputOver.signal)
      .then((ended) => (ended ? io.type(Control.endOfFile) : undefined))
      .catch(() => undefined);
  }
  try {
    return await settleSession(io, outcome, deps, signal);
  } finally {
    inputOver.abort();
  }
};

/** @throws {InvalidError} for input that a terminal would garble, where no shell is there to prevent it. */
export const checkDirect = ({ tty, stdin }: { readonly tty: boolean; readonly stdin: boolean }): void => {
  if (stdin && !tty) throw new InvalidError(NO_INPUT);
};

const UNKNOWN_EXIT_CODE =
  'the command has ended, but its exit code is unknown: the image has no /bin/sh that could tell it';
const NO_INPUT =
  'the image has no /bin/sh, without which input cannot be passed on unchanged (kubectl cp, exec -i): use an image with a shell, or add -t for a terminal';
