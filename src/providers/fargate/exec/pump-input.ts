import type { Readable } from 'node:stream';
import { TransientError } from '../../../core/errors.ts';

/**
 * Hands each piece of `source` to `sink` and waits for it; answers true at the end of the source, false where `signal`
 * aborted before. The source is left open. @throws {TransientError} where the source breaks: half an input must not look
 * like a whole one.
 */
export const pumpInput = async (
  source: Readable,
  sink: (bytes: Uint8Array) => Promise<void>,
  signal: AbortSignal,
): Promise<boolean> => {
  const iterator: AsyncIterator<unknown> = source.iterator({ destroyOnReturn: false });
  const stopped = new Promise<undefined>((resolve) => {
    if (signal.aborted) resolve(undefined);
    else signal.addEventListener('abort', () => resolve(undefined), { once: true });
  });
  for (;;) {
    const next = await Promise.race([read(iterator), stopped]);
    if (next === undefined || signal.aborted) return false;
    if (next.done === true) return true;
    await sink(Buffer.isBuffer(next.value) ? next.value : Buffer.from(String(next.value)));
  }
};

const read = async (iterator: AsyncIterator<unknown>): Promise<IteratorResult<unknown>> => {
  try {
    return await iterator.next();
  } catch (cause) {
    throw new TransientError("the caller's input broke off", { cause });
  }
};
