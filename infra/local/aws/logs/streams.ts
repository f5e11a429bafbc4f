import * as z from 'zod/mini';
import { pageOf } from '../paging.ts';
import { parseInput } from '../parse-input.ts';
import { AwsError, invalidParameter } from '../service-error.ts';
import { arnOfGroup, knownGroup, knownStream, type LogsContext } from './context.ts';

const text = z.optional(z.string());
const named = z.object({ logGroupName: text, logStreamName: text });

/** CreateLogStream. */
export const createLogStream = (context: LogsContext, input: unknown): unknown => {
  const { logGroupName, logStreamName = '' } = parseInput(named, input);
  const group = knownGroup(context, logGroupName);
  if (!/^[^:*]{1,512}$/.test(logStreamName)) throw invalidParameter(`Invalid log stream name '${logStreamName}'.`);
  if (group.streams.has(logStreamName)) {
    throw new AwsError('ResourceAlreadyExistsException', 'The specified log stream already exists');
  }
  context.store.ensureStream(group.name, logStreamName);
  return {};
};

/** DeleteLogStream. */
export const deleteLogStream = (context: LogsContext, input: unknown): unknown => {
  const { logGroupName, logStreamName } = parseInput(named, input);
  const group = knownGroup(context, logGroupName);
  group.streams.delete(knownStream(group, logStreamName).name);
  return {};
};

const describeSchema = z.object({
  logGroupName: text,
  logGroupIdentifier: text,
  logStreamNamePrefix: text,
  orderBy: text,
  descending: z.optional(z.boolean()),
  limit: z.optional(z.int()),
  nextToken: text,
});

/** DescribeLogStreams, by name or by last event. */
export const describeLogStreams = (context: LogsContext, input: unknown): unknown => {
  const request = parseInput(describeSchema, input);
  const { logStreamNamePrefix = '', orderBy = 'LogStreamName', descending = false, limit = 50, nextToken } = request;
  const group = knownGroup(context, request.logGroupName, request.logGroupIdentifier);
  if (orderBy === 'LastEventTime' && logStreamNamePrefix !== '') {
    throw invalidParameter('Cannot order by LastEventTime with a logStreamNamePrefix.');
  }
  if (limit < 1 || limit > 50) throw invalidParameter("Value at 'limit' must be between 1 and 50");
  const streams = [...group.streams.values()]
    .filter(({ name }) => name.startsWith(logStreamNamePrefix))
    .map((stream) => ({ stream, events: context.store.visible(stream) }))
    .sort((a, b) =>
      orderBy === 'LastEventTime'
        ? (a.events.at(-1)?.timestamp ?? 0) - (b.events.at(-1)?.timestamp ?? 0)
        : a.stream.name < b.stream.name
          ? -1
          : 1,
    );
  const page = pageOf(descending ? streams.toReversed() : streams, nextToken, limit);
  if (!page) throw invalidParameter('The specified nextToken is invalid.');
  return {
    logStreams: page.items.map(({ stream, events }) => ({
      logStreamName: stream.name,
      creationTime: stream.createdAt,
      arn: `${arnOfGroup(context, group.name)}:log-stream:${stream.name}`,
      storedBytes: 0,
      ...(events[0] && {
        firstEventTimestamp: events[0].timestamp,
        lastEventTimestamp: events.at(-1)?.timestamp,
        lastIngestionTime: events.at(-1)?.ingestionTime,
      }),
    })),
    ...(page.nextToken !== undefined && { nextToken: page.nextToken }),
  };
};
