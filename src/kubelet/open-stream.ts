import type { Clock } from '../core/clock.ts';

/**
 * Starts a stream and waits for its first piece, so that an error before any byte can still become an answer with a
 * status of its own: it rejects with that error. With `waitMs` it waits no longer than that.
 *
 * The answered stream ends cleanly where `signal` aborts, whatever the source does about it, and fails where the source
 * fails: a cut must not look like the end.
 */
export const openStream = async (
  source: AsyncIterable<Uint8Array>,
  {
    clock,
    signal,
    waitMs,
  }: { readonly clock: Clock; readonly signal: AbortSignal; readonly waitMs?: number | undefined },
): Promise<AsyncIterable<Uint8Array>> => {
  const iterator = source[Symbol.asyncIterator]();
  const first = iterator.next();
  try {
    await (waitMs === undefined ? first : withPatience(first, waitMs, clock, signal));
  } catch (error) {
    if (!signal.aborted) throw error;
  }
  return continueStream(iterator, first, signal);
};

const withPatience = async (
  first: Promise<unknown>,
  waitMs: number,
  clock: Clock,
  signal: AbortSignal,
): Promise<void> => {
  const enough = new AbortController();
  const patience = clock.sleep(waitMs, AbortSignal.any([signal, enough.signal])).catch(() => undefined);
  try {
    await Promise.race([first, patience]);
  } finally {
    enough.abort();
    // Whoever reads the stream meets the error; until somebody does it must not bring the process down.
    first.catch(() => undefined);
  }
};

async function* continueStream(
  iterator: AsyncIterator<Uint8Array>,
  first: Promise<IteratorResult<Uint8Array>>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    for (let promise = first; ; promise = iterator.next()) {
      const next = await unlessAborted(promise, signal);
      if (next === undefined || next.done === true) return;
      if (next.value.length > 0) yield next.value;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    // Not awaited: a source that waits for its next piece answers only when that comes.
    void Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}

/** Undefined as soon as the signal aborts. (A race with one lasting promise would keep every chunk.) */
const unlessAborted = <T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> =>
  new Promise((resolve, reject) => {
    // Deferred: what has already come is still handed on.
    const onAbort = (): void => queueMicrotask(() => resolve(undefined));
    const settle = (act: () => void): void => {
      signal.removeEventListener('abort', onAbort);
      act();
    };
    promise.then(
      (value) => settle(() => resolve(value)),
      (error: unknown) => settle(() => reject(error)),
    );
    if (signal.aborted) onAbort();
    else signal.addEventListener('abort', onAbort, { once: true });
  });
