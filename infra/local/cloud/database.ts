import { createRequire } from 'node:module';
import type { AddressInfo, Server } from 'node:net';
import { CreateTableCommand, type CreateTableCommandInput, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { physicalName, type ReferenceContext } from './references.ts';
import { resourcesOfType } from './service.ts';

/** DynamoDB of the local cloud: dynalite in this process, forgetting all at the end. */
export interface LocalDatabase {
  readonly url: string;
  close(): Promise<void>;
}

const require = createRequire(import.meta.url);

/** Starts it on `port` of the loopback address (0: a free one). @throws where the port is taken. */
export const startDatabase = async (port: number): Promise<LocalDatabase> => {
  const dynalite = require('dynalite') as (options: object) => Server;
  const server = dynalite({ createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, '127.0.0.1', resolve);
  });
  const { port: bound } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${bound}`,
    close: () => new Promise((resolve) => server.close(() => resolve())),
  };
};

/** Makes every `AWS::DynamoDB::Table` of the template. What dynalite does not know (TTL, backups, streams) is left out. */
export const createTables = async (url: string, context: ReferenceContext): Promise<void> => {
  const client = new DynamoDBClient({
    endpoint: url,
    region: context.service.provider.region,
    credentials: LOCAL_CREDENTIALS,
  });
  for (const [id, resource] of resourcesOfType(context.service, 'AWS::DynamoDB::Table')) {
    const { AttributeDefinitions, KeySchema, GlobalSecondaryIndexes, BillingMode } = resource.Properties ?? {};
    const input = {
      TableName: physicalName(id, resource, context),
      AttributeDefinitions,
      KeySchema,
      GlobalSecondaryIndexes,
      BillingMode,
    };
    await client.send(new CreateTableCommand(input as CreateTableCommandInput));
  }
  client.destroy();
};

/** What every client of the local cloud signs with. Nobody checks it. */
export const LOCAL_CREDENTIALS = { accessKeyId: 'local', secretAccessKey: 'local' } as const;
