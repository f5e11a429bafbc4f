import { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

export interface DynamoClientOptions {
  readonly region: string;
  /** Of a local DynamoDB; else AWS's own. */
  readonly endpoint?: string;
}

/**
 * The client of the stores. DynamoDB answers in milliseconds, so silence is cut short and tried again: every write of
 * the stores is conditional or may be repeated.
 */
export const createDynamoClient = ({ region, endpoint }: DynamoClientOptions): DynamoDBDocumentClient =>
  DynamoDBDocumentClient.from(
    new DynamoDBClient({
      region,
      ...(endpoint !== undefined && { endpoint }),
      maxAttempts: 3,
      requestHandler: { connectionTimeout: 1000, requestTimeout: 2000, throwOnRequestTimeout: true },
    }),
    { marshallOptions: { removeUndefinedValues: true } },
  );
