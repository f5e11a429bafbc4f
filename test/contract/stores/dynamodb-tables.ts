import { CreateTableCommand, DescribeTableCommand, DynamoDBClient } from '@aws-sdk/client-dynamodb';
import { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { tableDefinition } from '../../../src/adapters/dynamodb/schema.ts';
import { Table } from '../../../src/adapters/dynamodb/table.ts';

/** Fresh tables on one server. */
export interface Tables {
  readonly url: string;
  /** A new empty table and the operations sent to it so far, in order. */
  make(): Promise<{ readonly table: Table; readonly client: DynamoDBDocumentClient; readonly calls: string[] }>;
  close(): void;
}

export const tablesOn = (endpoint: string): Tables => {
  const credentials = { accessKeyId: 'local', secretAccessKey: 'local' };
  const client = new DynamoDBClient({ endpoint, region: 'eu-west-1', credentials, maxAttempts: 1 });
  let count = 0;
  return {
    url: endpoint,
    make: async () => {
      count += 1;
      const name = `svk-${count}-${process.pid}`;
      await client.send(new CreateTableCommand(tableDefinition(name)));
      // Before that its indexes are not there.
      while ((await client.send(new DescribeTableCommand({ TableName: name }))).Table?.TableStatus !== 'ACTIVE');
      const documents = DynamoDBDocumentClient.from(client, { marshallOptions: { removeUndefinedValues: true } });
      const calls: string[] = [];
      const counting = {
        send: (command: { readonly constructor: { readonly name: string } }) => {
          calls.push(command.constructor.name);
          return documents.send(command as never);
        },
      };
      return { table: new Table(counting, name), client: documents, calls };
    },
    close: () => client.destroy(),
  };
};
