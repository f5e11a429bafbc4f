import {
  type CloudWatchLogsClient,
  FilterLogEventsCommand,
  type FilterLogEventsCommandInput,
  type FilterLogEventsCommandOutput,
} from '@aws-sdk/client-cloudwatch-logs';

/** How the figures of Container Insights are read. Rejects with the SDK's error, and gives up when `signal` aborts. */
export interface InsightsApi {
  filterLogEvents(
    input: FilterLogEventsCommandInput,
    signal: AbortSignal,
  ): Promise<Pick<FilterLogEventsCommandOutput, 'events' | 'nextToken'>>;
}

/** {@link InsightsApi} over the SDK. */
export const createInsightsApi = (client: CloudWatchLogsClient): InsightsApi => ({
  filterLogEvents: (input, signal) => client.send(new FilterLogEventsCommand(input), { abortSignal: signal }),
});
