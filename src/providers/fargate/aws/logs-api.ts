import {
  type CloudWatchLogsClient,
  GetLogEventsCommand,
  type GetLogEventsCommandInput,
  type GetLogEventsCommandOutput,
} from '@aws-sdk/client-cloudwatch-logs';

/** The call of CloudWatch Logs this provider makes. Rejects with the SDK's error, and gives up when `signal` aborts. */
export interface LogsApi {
  getLogEvents(
    input: GetLogEventsCommandInput,
    signal: AbortSignal,
  ): Promise<Pick<GetLogEventsCommandOutput, 'events' | 'nextForwardToken' | 'nextBackwardToken'>>;
}

/** {@link LogsApi} over the SDK. */
export const createLogsApi = (client: CloudWatchLogsClient): LogsApi => ({
  getLogEvents: (input, signal) => client.send(new GetLogEventsCommand(input), { abortSignal: signal }),
});
