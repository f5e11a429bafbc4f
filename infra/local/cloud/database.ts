import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo, Server } from 'node:net';
import { CreateTableCommand, type CreateTableCommandInput, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { isSignedWith, type LocalCredentials } from './credentials.ts';
import { physicalName, type ReferenceContext } from './references.ts';
import { resourcesOfType } from './service.ts';

/** DynamoDB of the local cloud: dynalite in this process, forgetting all at the end. */
export interface LocalDatabase {
  readonly url: string;
  close(): Promise<void>;
}

const require = createRequire(import.meta.url);

/**
 * Starts it on `port` of the loopback address (0: a free one), for requests signed with `accessKeyId`.
 * @throws where the port is taken.
 */
export const startDatabase = async (port: number, accessKeyId: string): Promise<LocalDatabase> => {
  const dynalite = require('dynalite') as (options: object) => Server;
  const server = dynalite({ createTableMs: 0, deleteTableMs: 0, updateTableMs: 0 });
  demandKey(server, accessKeyId);
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
export const createTables = async (
  url: string,
  context: ReferenceContext,
  credentials: LocalCredentials,
): Promise<void> => {
  const client = new DynamoDBClient({
    endpoint: url,
    region: context.service.provider.region,
    credentials,
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

/** dynalite takes any key: who signs with another is turned away before it hears of the request. */
const demandKey = (server: Server, accessKeyId: string): void => {
  const listeners = server.listeners('request') as RequestListener[];
  server.removeAllListeners('request');
  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    if (isSignedWith(accessKeyId, request)) return listeners.forEach((listener) => listener(request, response));
    response.writeHead(400, { 'content-type': 'application/x-amz-json-1.0', connection: 'close' });
    response.end(JSON.stringify({ __type: 'UnrecognizedClientException', message: UNKNOWN_KEY }));
  });
};

const UNKNOWN_KEY = 'The security token included in the request is invalid.';
