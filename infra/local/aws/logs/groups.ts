import * as z from 'zod/mini';
import { pageOf } from '../paging.ts';
import { parseInput } from '../parse-input.ts';
import { AwsError, invalidParameter } from '../service-error.ts';
import { arnOfGroup, knownGroup, type LogsContext } from './context.ts';

const text = z.optional(z.string());
const named = z.object({ logGroupName: text, logStreamName: text, retentionInDays: z.optional(z.int()) });

/** CreateLogGroup. */
export const createLogGroup = ({ store }: LogsContext, input: unknown): unknown => {
  const { logGroupName = '' } = parseInput(named, input);
  if (!/^[.\-_/#A-Za-z0-9]{1,512}$/.test(logGroupName))
    throw invalidParameter(`Invalid log group name '${logGroupName}'.`);
  if (store.hasGroup(logGroupName)) {
    throw new AwsError('ResourceAlreadyExistsException', 'The specified log group already exists');
  }
  store.ensureGroup(logGroupName);
  return {};
};

/** DeleteLogGroup, its streams with it. */
export const deleteLogGroup = (context: LogsContext, input: unknown): unknown => {
  context.store.removeGroup(knownGroup(context, parseInput(named, input).logGroupName).name);
  return {};
};

/** PutRetentionPolicy is kept and shown; nothing expires here. */
export const putRetentionPolicy = (context: LogsContext, input: unknown): unknown => {
  const { logGroupName, retentionInDays = 0 } = parseInput(named, input);
  context.store.putGroup({ ...knownGroup(context, logGroupName), retentionInDays });
  return {};
};

const describeSchema = z.object({
  logGroupNamePrefix: text,
  logGroupNamePattern: text,
  logGroupIdentifiers: z.optional(z.array(z.string())),
  limit: z.optional(z.int()),
  nextToken: text,
});

/** DescribeLogGroups, by prefix, pattern or name. */
export const describeLogGroups = (context: LogsContext, input: unknown): unknown => {
  const request = parseInput(describeSchema, input);
  const { logGroupNamePrefix = '', logGroupNamePattern = '', logGroupIdentifiers, limit = 50, nextToken } = request;
  if (limit < 1 || limit > 50) throw invalidParameter("Value at 'limit' must be between 1 and 50");
  const wanted = logGroupIdentifiers?.map((name) => context.store.group(name)?.name);
  const groups = context.store
    .groups()
    .filter(
      ({ name }) =>
        name.startsWith(logGroupNamePrefix) && name.includes(logGroupNamePattern) && (wanted?.includes(name) ?? true),
    );
  const page = pageOf(groups, nextToken, limit);
  if (!page) throw invalidParameter('The specified nextToken is invalid.');
  return {
    logGroups: page.items.map(({ name, createdAt, retentionInDays, streams }) => ({
      logGroupName: name,
      creationTime: createdAt,
      arn: `${arnOfGroup(context, name)}:*`,
      logGroupArn: arnOfGroup(context, name),
      storedBytes: [...streams.values()]
        .flatMap(({ events }) => events)
        .reduce((sum, { message }) => sum + message.length, 0),
      metricFilterCount: 0,
      ...(retentionInDays !== undefined && { retentionInDays }),
    })),
    ...(page.nextToken !== undefined && { nextToken: page.nextToken }),
  };
};
