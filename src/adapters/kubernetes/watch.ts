import type { IncomingMessage } from 'node:http';
import * as z from 'zod/mini';
import { ConflictError, SvkError, TransientError } from '../../core/errors.ts';
import type { WatchEvent } from '../../ports/list-watch.ts';
import { parseJson, parseObject } from './answer.ts';
import type { KubernetesClient } from './kubernetes-client.ts';
import { toError } from './status-error.ts';

const WATCH_SECONDS = 300;
/** Bookmarks come about once a minute: twice that in silence is a dead connection. */
const SILENCE_MS = 120_000;

const event = z.looseObject({
  type: z.enum(['ADDED', 'MODIFIED', 'DELETED', 'BOOKMARK', 'ERROR']),
  object: z.looseObject({ code: z.optional(z.number()), metadata: z.optional(z.unknown()) }),
});
const bookmark = z.looseObject({ metadata: z.looseObject({ resourceVersion: z.string() }) });

export interface WatchOptions {
  readonly signal: AbortSignal;
  /** Of the list or event to begin after. */
  readonly resourceVersion: string;
  /** Selectors. */
  readonly query?: Readonly<Record<string, string>>;
  /** After which the server ends the watch; 300 where it is left out. */
  readonly timeoutSeconds?: number;
  /** Silence after which the connection counts as dead; 120 s where it is left out. */
  readonly silenceMs?: number;
}

/**
 * Changes of the objects at `path` after `resourceVersion`. Ends when the server ends the watch or `signal` aborts: then
 * watch again from the last resourceVersion seen.
 * @throws {TransientError} where the connection broke, went silent, or said something that is no event.
 */
export async function* watch<T>(
  client: KubernetesClient,
  path: string,
  options: WatchOptions,
): AsyncGenerator<WatchEvent<T>, void, void> {
  const { signal, resourceVersion, query, timeoutSeconds = WATCH_SECONDS, silenceMs = SILENCE_MS } = options;
  const call = `watch ${path}`;
  const asked = {
    ...query,
    watch: 'true',
    allowWatchBookmarks: 'true',
    resourceVersion,
    timeoutSeconds: String(timeoutSeconds),
  };
  const response = await open(client, path, { signal, query: asked });
  if (response === undefined) {
    yield { type: 'EXPIRED' };
    return;
  }
  response.setTimeout(silenceMs, () => {
    response.destroy(new TransientError(`${call}: nothing heard for ${silenceMs / 1_000} s`));
  });
  try {
    for await (const line of lines(response)) {
      const next = toEvent<T>(line, call);
      yield next;
      if (next.type === 'EXPIRED') break;
    }
  } catch (error) {
    if (!signal.aborted)
      throw error instanceof SvkError ? error : new TransientError(`${call}: the connection broke`, { cause: error });
  } finally {
    response.destroy();
  }
}

const open = async (
  client: KubernetesClient,
  path: string,
  options: { readonly signal: AbortSignal; readonly query: Readonly<Record<string, string>> },
): Promise<IncomingMessage | undefined> => {
  try {
    return await client.stream(path, options);
  } catch (error) {
    if (error instanceof ConflictError) return undefined;
    throw error;
  }
};

async function* lines(body: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, void> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of body) {
    const parts = (rest + decoder.decode(chunk, { stream: true })).split('\n');
    rest = parts.pop() ?? '';
    for (const part of parts) if (part !== '') yield part;
  }
  if (rest.trim() !== '') throw new TransientError('the watch ended in the middle of an event');
}

const toEvent = <T>(line: string, call: string): WatchEvent<T> => {
  const parsed = event.safeParse(parseJson(line, call));
  if (!parsed.success) throw new TransientError(`${call}: not a watch event`);
  const { type, object } = parsed.data;
  switch (type) {
    case 'ADDED':
    case 'MODIFIED':
    case 'DELETED':
      return { type, object: parseObject<T>(object, call) };
    case 'BOOKMARK': {
      const mark = bookmark.safeParse(object);
      if (!mark.success) throw new TransientError(`${call}: a bookmark without resourceVersion`);
      return { type, resourceVersion: mark.data.metadata.resourceVersion };
    }
    case 'ERROR':
      if (object.code === 410) return { type: 'EXPIRED' };
      throw toError({ code: object.code ?? 500, body: object, call });
    default:
      return type satisfies never;
  }
};
