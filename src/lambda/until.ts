/** The promise's value, or undefined as soon as `signal` aborts, whether or not the promise takes notice. */
const until = async <T>(promise: Promise<T>, signal: AbortSignal): Promise<T | undefined> => {
  if (signal.aborted) return undefined;
  const done = new AbortController();
  const aborted = new Promise<undefined>((resolve) => {
    signal.addEventListener('abort', () => resolve(undefined), { once: true, signal: done.signal });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    done.abort();
  }
};

/**
 * The chunks of `source` until it ends or `signal` aborts: a cut is a clean end, and what `source` throws because of it
 * is swallowed.
 */
export async function* chunksUntil(source: AsyncIterable<Uint8Array>, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const iterator = source[Symbol.asyncIterator]();
  try {
    for (;;) {
      const next = await until(iterator.next(), signal);
      if (next === undefined || next.done) return;
      yield next.value;
    }
  } catch (error) {
    if (!signal.aborted) throw error;
  } finally {
    // Not awaited: a source that hangs must not hold up the end.
    Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
}
