import { CloudWatchLogsClient, DescribeLogGroupsCommand } from '@aws-sdk/client-cloudwatch-logs';
import { awsError } from '../aws/errors.ts';

/** Whether there is a log group of exactly this name. `endpoint`: another address than AWS's. */
export const hasLogGroup = async (
  name: string,
  options: { readonly region: string; readonly endpoint?: string },
  signal: AbortSignal,
): Promise<boolean> => {
  const client = new CloudWatchLogsClient({ ...options, maxAttempts: 3 });
  try {
    // In the order of their names: the one itself comes before those it is the beginning of.
    const command = new DescribeLogGroupsCommand({ logGroupNamePrefix: name, limit: 1 });
    const { logGroups = [] } = await client.send(command, { abortSignal: signal });
    return logGroups.some(({ logGroupName }) => logGroupName === name);
  } catch (error) {
    throw awsError(error, { doing: `look for log group ${name}` });
  } finally {
    client.destroy();
  }
};
