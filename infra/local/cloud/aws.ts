import { randomBytes } from 'node:crypto';
import { SendMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { PutParameterCommand, SSMClient } from '@aws-sdk/client-ssm';
import { type AwsEmulator, startAwsEmulator } from '../aws/emulator.ts';
import { newCredentials, writeAwsFile } from './credentials.ts';
import { createTables, startDatabase } from './database.ts';
import { type EventRule, eventRulesOf, inputFor, matchesPattern } from './event-rules.ts';
import type { LocalOptions } from './options.ts';
import { createQueues, queueClient, startQueues } from './queues.ts';
import { LOCAL_ACCOUNT, type ReferenceContext } from './references.ts';
import { chooseRuntime } from './runtime-choice.ts';
import type { Service } from './service.ts';
import { createTaskResources } from './task-resources.ts';

/** DynamoDB, SQS, EventBridge, ECS, CloudWatch Logs, Parameter Store, Secrets Manager and KMS of the local cloud. */
export interface LocalAws {
  readonly context: ReferenceContext;
  readonly queues: SQSClient;
  readonly queueUrl: string;
  /** `AWS_…` variables that send unmodified SDK clients here. */
  readonly environment: Readonly<Record<string, string>>;
  readonly emulator: AwsEmulator;
  /** What tasks run on, in one line. */
  readonly runtime: string;
  putParameter(name: string, value: string): Promise<void>;
  close(): Promise<void>;
}

/** Starts everything and makes the tables and queues that the service's template declares. */
export const startAws = async (service: Service, options: LocalOptions): Promise<LocalAws> => {
  const { ports, directory } = options;
  const { region } = service.provider;
  const credentials = newCredentials();
  const { accessKeyId, secretAccessKey } = credentials;
  const database = await startDatabase(ports.dynamodb, accessKeyId);
  const queues = await startQueues(ports.queues, region, accessKeyId);
  const client = queueClient(region, queues.url, credentials);
  const context: ReferenceContext = { service, queueUrl: queues.url };
  await createTables(database.url, context, credentials);
  await createQueues(client, context);
  const rules = eventRulesOf(context);
  const { runtime, line } = await chooseRuntime(options.runtime, process.env['DOCKER_HOST']);
  const emulator = await startAwsEmulator({
    port: ports.aws,
    region,
    accountId: LOCAL_ACCOUNT,
    accessKeyId,
    secretAccessKey,
    runtime,
    onEvent: (event) => void deliver(event, rules, client, queues.url),
  }).catch(async (error: unknown) => {
    await runtime.close();
    throw error;
  });
  await createTaskResources(emulator.url, context, credentials);
  const ssm = new SSMClient({ endpoint: emulator.url, region, credentials });
  writeAwsFile(directory, { url: emulator.url, region, ...credentials });
  return {
    context,
    queues: client,
    queueUrl: queues.url,
    emulator,
    runtime: line,
    environment: {
      AWS_ACCESS_KEY_ID: accessKeyId,
      AWS_SECRET_ACCESS_KEY: secretAccessKey,
      AWS_REGION: region,
      AWS_ENDPOINT_URL_DYNAMODB: database.url,
      AWS_ENDPOINT_URL_SQS: queues.url,
      AWS_ENDPOINT_URL_ECS: emulator.url,
      AWS_ENDPOINT_URL_CLOUDWATCH_LOGS: emulator.url,
      AWS_ENDPOINT_URL_SSM: emulator.url,
      AWS_ENDPOINT_URL_SECRETS_MANAGER: emulator.url,
      AWS_ENDPOINT_URL_KMS: emulator.url,
    },
    putParameter: async (Name, Value) => {
      await ssm.send(
        new PutParameterCommand({ Name, Value, Type: 'SecureString', Overwrite: true, Tier: 'Intelligent-Tiering' }),
      );
    },
    close: async () => {
      ssm.destroy();
      await emulator.close();
      client.destroy();
      await Promise.all([queues.close(), database.close()]);
    },
  };
};

/** A secret for the admission webhook's path: 128 bits of chance. */
export const newAdmissionSecret = (): string => randomBytes(16).toString('hex');

const deliver = async (
  event: unknown,
  rules: readonly EventRule[],
  client: SQSClient,
  queueUrl: string,
): Promise<void> => {
  for (const rule of rules.filter(({ pattern }) => matchesPattern(pattern, event))) {
    const QueueUrl = `${queueUrl}/${LOCAL_ACCOUNT}/${rule.targetArn.split(':').pop()}`;
    try {
      await client.send(new SendMessageCommand({ QueueUrl, MessageBody: inputFor(rule, event) }));
    } catch (error) {
      console.error(`local cloud: event not delivered to ${QueueUrl}: ${String(error)}`);
    }
  }
};
