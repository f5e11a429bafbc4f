import type { AddressInfo } from 'node:net';
import { CreateQueueCommand, ReceiveMessageCommand, type SQSClient } from '@aws-sdk/client-sqs';
import { buildApp } from 'fauxqs';
import { afterAll, beforeAll, vi } from 'vitest';
import { createSqsClient } from '../../../src/adapters/sqs/client.ts';
import { SqsWorkQueue } from '../../../src/adapters/sqs/work-queue.ts';
import { SystemClock } from '../../../src/adapters/system/system-clock.ts';
import type { QueueMessage } from '../../../src/model/messages.ts';
import { describeWorkQueue } from './work-queue-contract.ts';

let app: ReturnType<typeof buildApp>;
let client: SQSClient;
let endpoint: string;
let count = 0;

beforeAll(async () => {
  app = buildApp({ logger: false });
  await app.listen({ port: 0, host: '127.0.0.1' });
  endpoint = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}`;
  vi.stubEnv('AWS_ACCESS_KEY_ID', 'local');
  vi.stubEnv('AWS_SECRET_ACCESS_KEY', 'local');
  client = createSqsClient({ region: 'us-east-1', endpoint });
});

afterAll(async () => {
  vi.unstubAllEnvs();
  client.destroy();
  app.server.closeAllConnections();
  await app.close();
});

describeWorkQueue('fauxqs', async () => {
  count += 1;
  await client.send(new CreateQueueCommand({ QueueName: `pods-${count}` }));
  const queueUrl = `${endpoint}/000000000000/pods-${count}`;
  return {
    queue: new SqsWorkQueue({ client, queueUrl, clock: new SystemClock() }),
    receiveAll: async () => {
      const received: QueueMessage[] = [];
      for (;;) {
        const { Messages } = await client.send(
          new ReceiveMessageCommand({ QueueUrl: queueUrl, MaxNumberOfMessages: 10, VisibilityTimeout: 300 }),
        );
        if (!Messages?.length) return received;
        received.push(...Messages.map(({ Body }) => JSON.parse(Body ?? '') as QueueMessage));
      }
    },
    second: () => new Promise((resolve) => setTimeout(resolve, 1050)),
  };
});
