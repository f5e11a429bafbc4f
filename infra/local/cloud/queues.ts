import type { AddressInfo } from 'node:net';
import { CreateQueueCommand, SQSClient } from '@aws-sdk/client-sqs';
import { buildApp } from 'fauxqs';
import { isSignedWith, type LocalCredentials } from './credentials.ts';
import { physicalName, type ReferenceContext, resolveReferences } from './references.ts';
import { resourcesOfType } from './service.ts';

/** SQS of the local cloud: fauxqs in this process. */
export interface LocalQueues {
  readonly url: string;
  close(): Promise<void>;
}

/**
 * Starts it on `port` of the loopback address (0: a free one), for requests signed with `accessKeyId`; without one for all.
 * (fauxqs' own starter would listen on all addresses.)
 */
export const startQueues = async (port: number, region: string, accessKeyId?: string): Promise<LocalQueues> => {
  const app = buildApp({ logger: false, defaultRegion: region });
  app.addHook('onRequest', async (request, reply) => {
    if (accessKeyId === undefined || isSignedWith(accessKeyId, request.raw)) return;
    const message = 'The security token included in the request is invalid.';
    await reply.code(403).send({ __type: 'com.amazon.coral.service#UnrecognizedClientException', message });
  });
  await app.listen({ port, host: '127.0.0.1' });
  const { port: bound } = app.server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${bound}`,
    close: async () => {
      app.server.closeAllConnections();
      await app.close();
    },
  };
};

/** A client that takes the queue's address from its URL. */
export const queueClient = (
  region: string,
  url: string,
  credentials: LocalCredentials = { accessKeyId: 'local', secretAccessKey: 'local' },
): SQSClient => new SQSClient({ region, endpoint: url, credentials });

/** Makes every `AWS::SQS::Queue` of the template, dead-letter queues first, since the others name them. */
export const createQueues = async (client: SQSClient, context: ReferenceContext): Promise<void> => {
  const queues = [...resourcesOfType(context.service, 'AWS::SQS::Queue')].sort(
    ([, a], [, b]) => Number('RedrivePolicy' in (a.Properties ?? {})) - Number('RedrivePolicy' in (b.Properties ?? {})),
  );
  for (const [id, resource] of queues) {
    const attributes = Object.entries(resource.Properties ?? {})
      .filter(([name]) => QUEUE_ATTRIBUTES.has(name))
      .map(([name, value]): [string, string] => [name, attributeText(resolveReferences(value, context))]);
    const QueueName = physicalName(id, resource, context);
    await client.send(new CreateQueueCommand({ QueueName, Attributes: Object.fromEntries(attributes) }));
  }
};

const QUEUE_ATTRIBUTES = new Set([
  'DelaySeconds',
  'MessageRetentionPeriod',
  'ReceiveMessageWaitTimeSeconds',
  'RedrivePolicy',
  'VisibilityTimeout',
]);

const attributeText = (value: unknown): string =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value);
