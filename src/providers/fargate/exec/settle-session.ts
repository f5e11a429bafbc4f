import type { Clock } from '../../../core/clock.ts';
import { type SessionDependencies, type SessionIo } from './session-io.ts';
import { Control } from './terminal-input.ts';

/** How long the last words of a session, or its end by force, may take. */
const LAST_WORDS_WITHIN_MS = 2000;

/**
 * Waits for the outcome of a session and until the caller has taken its output, then hangs up. Where `signal` aborts or
 * the caller takes no more output, the command is ended and the reason thrown.
 */
export const settleSession = async (
  io: SessionIo,
  outcome: Promise<number>,
  deps: SessionDependencies,
  signal: AbortSignal,
): Promise<number> => {
  const aborted = Promise.withResolvers<never>();
  aborted.promise.catch(() => undefined);
  outcome.catch(() => undefined);
  const onAbort = (): void => aborted.reject(signal.reason);
  signal.addEventListener('abort', onAbort, { once: true });
  if (signal.aborted) onAbort();
  let cleanly = false;
  const cut = Promise.race([aborted.promise, io.failed]);
  cut.catch(() => undefined);
  try {
    const exitCode = await Promise.race([outcome, cut]);
    await Promise.race([io.taken(), cut]);
    cleanly = true;
    return exitCode;
  } catch (error) {
    if (io.isOver) cleanly = true;
    else await kill(io, deps);
    throw error;
  } finally {
    signal.removeEventListener('abort', onAbort);
    // Where the command has ended, the agent has last words as well, and keeps its session until they are heard.
    if (cleanly) void lastWords(deps.clock, io.channel.ended).then(() => io.close());
    else io.close();
  }
};

const kill = async (io: SessionIo, { clock, terminate }: SessionDependencies): Promise<void> => {
  void io.type(Control.interrupt);
  await lastWords(clock, Promise.all([io.channel.delivered(), terminate?.()]));
};

/** Waits for `act`, whatever comes of it, but not for long. */
export const lastWords = async (clock: Clock, act: Promise<unknown>): Promise<void> => {
  const done = new AbortController();
  const patience = clock.sleep(LAST_WORDS_WITHIN_MS, done.signal).catch(() => undefined);
  await Promise.race([act.catch(() => undefined), patience]);
  done.abort();
};
