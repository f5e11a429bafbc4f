import * as z from 'zod/mini';
import { pageOf } from '../paging.ts';
import { parseInput } from '../parse-input.ts';
import { invalidParameter } from '../service-error.ts';
import { knownGroup, type LogsContext, maxPageBytes, sizeOf } from './context.ts';
import { comparePlaces } from './log-tokens.ts';

const schema = z.object({
  logGroupName: z.optional(z.string()),
  logGroupIdentifier: z.optional(z.string()),
  logStreamNames: z.optional(z.array(z.string())),
  logStreamNamePrefix: z.optional(z.string()),
  startTime: z.optional(z.number()),
  endTime: z.optional(z.number()),
  filterPattern: z.optional(z.string()),
  nextToken: z.optional(z.string()),
  limit: z.optional(z.int()),
  startFromHead: z.optional(z.boolean()),
});

const newestFirstSince = Date.UTC(2024, 0, 1);

/** FilterLogEvents over all streams of a group, by time; done when `nextToken` is missing. Patterns: terms and "quoted texts". */
export const filterLogEvents = (context: LogsContext, input: unknown): unknown => {
  const request = parseInput(schema, input);
  const group = knownGroup(context, request.logGroupName, request.logGroupIdentifier);
  const { logStreamNames, logStreamNamePrefix, startTime = 0, endTime = Number.POSITIVE_INFINITY } = request;
  const { limit = 10_000, startFromHead = true, filterPattern = '', nextToken } = request;
  if (logStreamNames && logStreamNamePrefix !== undefined) {
    throw invalidParameter('logStreamNames and logStreamNamePrefix cannot be used together.');
  }
  if (limit < 1 || limit > 10_000) throw invalidParameter("Value at 'limit' must be between 1 and 10000");
  if (!startFromHead && startTime < newestFirstSince) {
    throw invalidParameter('startFromHead: false needs a startTime of 2024-01-01 or later.');
  }
  const matches = matcherOf(filterPattern);
  const events = [...group.streams.values()]
    .filter(({ name }) => logStreamNames?.includes(name) ?? name.startsWith(logStreamNamePrefix ?? ''))
    .flatMap((stream) => context.store.visible(stream).map((event) => ({ ...event, logStreamName: stream.name })))
    .filter(({ timestamp, message }) => timestamp >= startTime && timestamp < endTime && matches(message))
    .sort((a, b) => (startFromHead ? comparePlaces(a, b) : comparePlaces(b, a)));
  const page = pageOf(events, nextToken, fitting(events, limit));
  if (!page) throw invalidParameter('The specified nextToken is invalid.');
  return {
    events: page.items.map(({ sequence, timestamp, message, ingestionTime, logStreamName }) => ({
      logStreamName,
      timestamp,
      message,
      ingestionTime,
      eventId: String(sequence).padStart(56, '3'),
    })),
    searchedLogStreams: [],
    ...(page.nextToken !== undefined && { nextToken: page.nextToken }),
  };
};

/** Every term must be in the message; `"a b"` is one term; `-term` must not be. Of JSON patterns only `{ $.MEMBER = "TEXT" }`. */
const matcherOf = (pattern: string): ((message: string) => boolean) => {
  const [, member, text] = /^\s*\{\s*\$\.(\w+)\s*=\s*"([^"]*)"\s*\}\s*$/.exec(pattern) ?? [];
  if (member !== undefined) return (message) => memberOf(message, member) === text;
  if (/^\s*[{[%]/.test(pattern))
    throw invalidParameter(`The local CloudWatch Logs does not know the pattern '${pattern}'.`);
  const terms = [...pattern.matchAll(/(-?)(?:"([^"]*)"|(\S+))/g)].map(([, minus, quoted, plain]) => ({
    wanted: minus !== '-',
    text: quoted ?? plain ?? '',
  }));
  return (message) => terms.every(({ wanted, text }) => message.includes(text) === wanted);
};

const memberOf = (message: string, member: string): unknown => {
  try {
    const value: unknown = JSON.parse(message);
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[member] : undefined;
  } catch {
    return undefined;
  }
};

const fitting = (events: readonly { readonly message: string }[], limit: number): number => {
  const largest = events.reduce((max, event) => Math.max(max, sizeOf(event)), 1);
  return Math.max(1, Math.min(limit, Math.floor(maxPageBytes / largest)));
};
