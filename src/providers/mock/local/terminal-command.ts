import type { Clock } from '../../../core/clock.ts';
import type { TerminalSize } from '../../../core/terminal-size.ts';
import type { RemoteStreams } from '../../../ports/remote-streams.ts';
import { openTerminal } from './open-terminal.ts';
import type { ProcessLaunch } from './program.ts';
import type { PseudoTerminal } from './pseudo-terminal.ts';

/** Clients tell their size at once; one that does not gets what terminals have been for decades. */
const FIRST_SIZE_WITHIN_MS = 500;
/** For what takes no notice of it. */
const HANG_UP_MS = 5_000;
const DEFAULT_SIZE: TerminalSize = { columns: 80, rows: 24 };

/**
 * Runs a command in a terminal and answers its exit code. Where `signal` aborts the line is cut (SIGHUP), and what
 * stays nevertheless is killed.
 * @throws {InvalidError} where it cannot be started.
 */
export const runInTerminal = async (
  launch: ProcessLaunch,
  { stdin, stdout, sizes }: RemoteStreams,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<number> => {
  const following = sizes[Symbol.asyncIterator]();
  const next = following.next();
  const first = (await soon(next, clock, signal)) ?? DEFAULT_SIZE;
  const terminal = await openTerminal(launch, first, (data) => {
    if (stdout === undefined || stdout.write(data)) return;
    terminal.pause();
    stdout.once('drain', () => terminal.resume());
  });
  const over = new AbortController();
  const hangUp = (): void => {
    terminal.end('SIGHUP');
    clock.sleep(HANG_UP_MS, over.signal).then(
      () => terminal.end('SIGKILL'),
      () => undefined,
    );
  };
  signal.addEventListener('abort', hangUp, { once: true });
  if (signal.aborted) hangUp();
  stdin?.on('data', (data: Uint8Array) => terminal.write(data));
  // A terminal has no end of input of its own: it is typed.
  stdin?.once('end', () => terminal.write(END_OF_TRANSMISSION));
  void follow(following, next, terminal);
  try {
    return await terminal.ended;
  } finally {
    signal.removeEventListener('abort', hangUp);
    over.abort();
  }
};

const END_OF_TRANSMISSION = Uint8Array.of(4);

const soon = async (
  next: Promise<IteratorResult<TerminalSize, unknown>>,
  clock: Clock,
  signal: AbortSignal,
): Promise<TerminalSize | undefined> => {
  const enough = new AbortController();
  const late = clock.sleep(FIRST_SIZE_WITHIN_MS, AbortSignal.any([signal, enough.signal])).catch(() => undefined);
  const first = await Promise.race([next, late]);
  enough.abort();
  return first !== undefined && first.done !== true && isKnown(first.value) ? first.value : undefined;
};

const follow = async (
  sizes: AsyncIterator<TerminalSize>,
  first: Promise<IteratorResult<TerminalSize, unknown>>,
  terminal: PseudoTerminal,
): Promise<void> => {
  for (let size = await first; size.done !== true; size = await sizes.next()) {
    if (isKnown(size.value)) terminal.resize(size.value);
  }
};

const isKnown = ({ columns, rows }: TerminalSize): boolean => columns > 0 && rows > 0;
