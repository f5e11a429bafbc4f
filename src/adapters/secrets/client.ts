import { SSMClient } from '@aws-sdk/client-ssm';

/** The client of the parameters our own functions read at their start. `endpoint`: of a local Parameter Store. */
export const createSsmClient = ({
  region,
  endpoint,
}: {
  readonly region: string;
  readonly endpoint?: string;
}): SSMClient =>
  new SSMClient({
    region,
    ...(endpoint !== undefined && { endpoint }),
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 1000, requestTimeout: 3000, throwOnRequestTimeout: true },
  });
