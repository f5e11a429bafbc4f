import { SQSClient } from '@aws-sdk/client-sqs';

export interface SqsClientOptions {
  readonly region: string;
  /** Of a local SQS, whose queue URLs may name a host that does not resolve; else each queue's URL says where it is. */
  readonly endpoint?: string;
}

/** The client of the work queue. A repeated send is harmless: messages only say which pod. */
export const createSqsClient = ({ region, endpoint }: SqsClientOptions): SQSClient =>
  new SQSClient({
    region,
    ...(endpoint !== undefined && { endpoint, useQueueUrlAsEndpoint: false }),
    maxAttempts: 3,
    requestHandler: { connectionTimeout: 1000, requestTimeout: 3000, throwOnRequestTimeout: true },
  });
