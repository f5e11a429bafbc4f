import type { LogLine } from './log-format.ts';
import type { LogPage, LogStream } from './log-stream.ts';

const MAX_PAGE_LINES = 10_000;
/** Pages may be empty before the end; as many in a row mean that there is none. */
const MAX_EMPTY_PAGES = 100;

/**
 * Yields lines from `token` (the beginning without one) to the present end, and returns the token to go on from later.
 * The end is where a page's token is the one it was asked for, never an empty page.
 */
export async function* readForward(
  stream: LogStream,
  token: string | undefined,
  signal: AbortSignal,
): AsyncGenerator<readonly LogLine[], string | undefined> {
  let at = token;
  for (let empty = 0; empty < MAX_EMPTY_PAGES; ) {
    const { lines, forwardToken } = await stream.page({ token: at, fromHead: true }, signal);
    if (lines.length > 0) yield lines;
    if (forwardToken === undefined || forwardToken === at) return at;
    at = forwardToken;
    empty = lines.length > 0 ? 0 : empty + 1;
  }
  return at;
}

/** The last `count` lines, oldest first, and the token behind them. `count` 0 finds the token only. */
export const readTail = async (
  stream: LogStream,
  count: number,
  signal: AbortSignal,
): Promise<{ readonly lines: readonly LogLine[]; readonly token: string | undefined }> => {
  const limit = Math.min(Math.max(count, 1), MAX_PAGE_LINES);
  const newest = await stream.page({ fromHead: false, limit }, signal);
  const pages: LogPage[] = [newest];
  let lines = newest.lines.length;
  let token = newest.backwardToken;
  for (let empty = 0; lines < count && token !== undefined && empty < MAX_EMPTY_PAGES; ) {
    const page = await stream.page({ token, fromHead: false, limit }, signal);
    pages.unshift(page);
    lines += page.lines.length;
    empty = page.lines.length > 0 ? 0 : empty + 1;
    token = page.backwardToken === token ? undefined : page.backwardToken;
  }
  const all = pages.flatMap((page) => page.lines);
  return { lines: all.slice(all.length - Math.min(count, all.length)), token: newest.forwardToken };
};
