import * as z from 'zod/mini';
import { parseInput } from '../parse-input.ts';
import { invalidParameter } from '../service-error.ts';
import { knownGroup, knownStream, type LogsContext, maxPageBytes, sizeOf } from './context.ts';
import type { StoredEvent } from './log-store.ts';
import { comparePlaces, type LogToken, type Place, readToken, writeToken } from './log-tokens.ts';

const schema = z.object({
  logGroupName: z.optional(z.string()),
  logGroupIdentifier: z.optional(z.string()),
  logStreamName: z.optional(z.string()),
  startTime: z.optional(z.number()),
  endTime: z.optional(z.number()),
  nextToken: z.optional(z.string()),
  limit: z.optional(z.int()),
  startFromHead: z.optional(z.boolean()),
});

const dayMs = 86_400_000;

/**
 * GetLogEvents: the newest page unless `startFromHead`; both tokens always; the end is reached when the token returned is
 * the token sent. Walking forward needs `startFromHead: true`, as the documentation demands.
 */
export const getLogEvents = (context: LogsContext, input: unknown): unknown => {
  const request = parseInput(schema, input);
  const stream = knownStream(
    knownGroup(context, request.logGroupName, request.logGroupIdentifier),
    request.logStreamName,
  );
  const { limit = 10_000, startTime = 0, endTime = Number.POSITIVE_INFINITY, startFromHead = false } = request;
  if (limit < 1 || limit > 10_000) throw invalidParameter("Value at 'limit' must be between 1 and 10000");
  const now = context.clock.now();
  const token = request.nextToken === undefined ? undefined : checkedToken(request.nextToken, now, startFromHead);
  const events = context.store.visible(stream).filter(({ timestamp }) => timestamp >= startTime && timestamp < endTime);

  if (token && context.faults.take('empty-log-pages')) {
    const next = writeToken({ ...token, empties: token.empties + 1 });
    const other = { ...token, direction: token.direction === 'f' ? ('b' as const) : ('f' as const) };
    return answer([], token.direction === 'f' ? [next, writeToken(other)] : [writeToken(other), next]);
  }
  const page = pageFor(events, token, startFromHead, limit);
  const first = page[0];
  const last = page.at(-1);
  const here: Place = token?.place ?? startingPlace(events, startFromHead, startTime);
  const tokenAt = (direction: 'f' | 'b', event: StoredEvent | undefined): string =>
    token && token.direction === direction && !event
      ? (request.nextToken ?? '')
      : writeToken({ direction, place: event ?? here, empties: 0, issuedAt: now });
  return answer(page, [tokenAt('f', last), tokenAt('b', first)]);
};

const checkedToken = (text: string, now: number, startFromHead: boolean): LogToken => {
  const token = readToken(text);
  if (!token) throw invalidParameter('The specified nextToken is invalid.');
  if (now - token.issuedAt >= dayMs) throw invalidParameter('The specified nextToken has expired.');
  if (token.direction === 'f' && !startFromHead) {
    throw invalidParameter('A nextForwardToken needs startFromHead: true.');
  }
  return token;
};

/** Before everything when read from the head, else behind everything there is. */
const startingPlace = (events: readonly StoredEvent[], startFromHead: boolean, startTime: number): Place =>
  (startFromHead ? undefined : events.at(-1)) ?? { timestamp: startTime, sequence: 0 };

const pageFor = (
  events: readonly StoredEvent[],
  token: LogToken | undefined,
  startFromHead: boolean,
  limit: number,
): readonly StoredEvent[] => {
  const forward = token ? token.direction === 'f' : startFromHead;
  const rest = token
    ? events.filter((event) =>
        forward ? comparePlaces(event, token.place) > 0 : comparePlaces(event, token.place) < 0,
      )
    : events;
  const ordered = forward ? rest : rest.toReversed();
  const page: StoredEvent[] = [];
  let bytes = 0;
  for (const event of ordered.slice(0, limit)) {
    bytes += sizeOf(event);
    if (bytes > maxPageBytes && page.length > 0) break;
    page.push(event);
  }
  return forward ? page : page.toReversed();
};

const answer = (events: readonly StoredEvent[], [forward, backward]: readonly string[]): unknown => ({
  events: events.map(({ timestamp, message, ingestionTime }) => ({ timestamp, message, ingestionTime })),
  nextForwardToken: forward,
  nextBackwardToken: backward,
});
