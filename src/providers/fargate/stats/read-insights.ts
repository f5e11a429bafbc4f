import { NotFoundError } from '../../../core/errors.ts';
import { awsFaultOf, translateAwsError } from '../aws/errors.ts';
import type { InsightsApi } from '../aws/insights-api.ts';
import { type InsightsSample, toInsightsSample } from './insights-sample.ts';

/** Where ECS writes the figures of a cluster with Container Insights. */
const insightsGroupOf = (clusterArn: string): string =>
  `/aws/ecs/containerinsights/${clusterArn.slice(clusterArn.lastIndexOf('/') + 1)}/performance`;

/** A page is empty where a part of the group holds nothing; more in a row than this is no end that we wait for. */
const MAX_PAGES = 50;

/**
 * What all containers of the cluster have used since `since` (milliseconds since the epoch, exclusive), oldest first, each
 * sample once. Costs nothing but calls: FilterLogEvents has no price.
 * @throws {NotFoundError} where the cluster has no Container Insights, or none of its tasks has run for a minute yet.
 */
export const readInsights = async (
  insights: InsightsApi,
  clusterArn: string,
  since: number,
  signal: AbortSignal,
): Promise<readonly InsightsSample[]> => {
  const logGroupName = insightsGroupOf(clusterArn);
  const samples = new Map<string, InsightsSample>();
  let nextToken: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { events = [], nextToken: next } = await insights
      .filterLogEvents(
        {
          logGroupName,
          filterPattern: '{ $.Type = "Container" }',
          startTime: since + 1,
          ...(nextToken !== undefined && { nextToken }),
        },
        signal,
      )
      .catch((error: unknown) => Promise.reject(translated(error, logGroupName)));
    for (const sample of events.flatMap(({ message = '' }) => toInsightsSample(message) ?? [])) {
      if (sample.at > since) samples.set(`${sample.taskId} ${sample.container} ${sample.at}`, sample);
    }
    if (next === undefined) break;
    nextToken = next;
  }
  return [...samples.values()].sort((a, b) => a.at - b.at);
};

const translated = (error: unknown, group: string): Error =>
  awsFaultOf(error).kind === 'not-found'
    ? new NotFoundError(`there is no log group ${group}: Container Insights is off, or has not measured anything yet`, {
        cause: error,
      })
    : translateAwsError(error, 'CloudWatch FilterLogEvents');
