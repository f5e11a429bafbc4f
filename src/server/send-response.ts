import type { ServerResponse } from 'node:http';
import type { KubeletResponse } from '../kubelet/http.ts';

/**
 * Writes an answer. A stream goes out chunk by chunk as it comes, headers first, and is not read further while the
 * client does not take what it has; it is given up as soon as the connection closes. Rejects with the stream's own error:
 * the connection is then cut, so that what is missing does not look like the end.
 */
export const sendResponse = async (
  response: ServerResponse,
  { status, headers, body }: KubeletResponse,
): Promise<void> => {
  if (typeof body === 'string' || body instanceof Uint8Array) {
    const bytes = Buffer.from(body);
    response.writeHead(status, { ...headers, 'content-length': String(bytes.length) });
    response.end(bytes);
    return;
  }
  response.writeHead(status, headers);
  response.flushHeaders();
  await pump(body[Symbol.asyncIterator](), response);
};

const pump = async (iterator: AsyncIterator<Uint8Array>, response: ServerResponse): Promise<void> => {
  const unlessClosed = closeWatch(response);
  try {
    for (;;) {
      const next = await unlessClosed(iterator.next());
      if (next === CLOSED) return;
      if (next.done === true) break;
      if (!response.write(next.value) && (await unlessClosed(drained(response))) === CLOSED) return;
    }
    response.end();
  } catch (error) {
    response.destroy();
    throw error;
  } finally {
    // Not awaited: a source that waits for its next piece answers only when that comes.
    void Promise.resolve(iterator.return?.()).catch(() => undefined);
  }
};

const CLOSED = Symbol('closed');

/** Waits for a promise or for the end of the connection. (A race with one lasting promise would keep every chunk.) */
const closeWatch = (response: ServerResponse): (<T>(promise: Promise<T>) => Promise<T | typeof CLOSED>) => {
  let onClose = (): void => undefined;
  response.once('close', () => onClose());
  return (promise) =>
    new Promise((resolve, reject) => {
      onClose = () => resolve(CLOSED);
      if (response.closed) onClose();
      promise.then(resolve, reject);
    });
};

const drained = (response: ServerResponse): Promise<void> =>
  new Promise((resolve) => response.once('drain', () => resolve()));
