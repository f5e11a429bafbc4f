import { afterAll, beforeAll, describe } from 'vitest';
import { DynamoNodeStore } from '../../../src/adapters/dynamodb/node-store.ts';
import { DynamoPodStore } from '../../../src/adapters/dynamodb/pod-store.ts';
import { DynamoResourceStore } from '../../../src/adapters/dynamodb/resource-store.ts';
import { FakeClock } from '../../fakes/clock.ts';
import { dynamodbLocalHome, startDynamodbLocal } from './dynamodb-local-server.ts';
import { type Tables, tablesOn } from './dynamodb-tables.ts';
import { describeNodeStore } from './node-store-contract.ts';
import { describePodStore } from './pod-store-contract.ts';
import { describeResourceStore } from './resource-store-contract.ts';

const home = dynamodbLocalHome();

describe.skipIf(home === undefined)('AWS DynamoDB Local', () => {
  let tables: Tables;
  let stop: () => Promise<void>;

  beforeAll(async () => {
    const server = await startDynamodbLocal(home ?? '');
    tables = tablesOn(server.url);
    stop = async () => {
      tables.close();
      await server.close();
    };
  }, 60_000);
  afterAll(() => stop());

  const clock = new FakeClock();

  describePodStore('DynamoDB Local', async () => {
    const { table } = await tables.make();
    return new DynamoPodStore({ table, clock, cluster: 'dev' });
  });
  describeNodeStore(
    'DynamoDB Local',
    async () => new DynamoNodeStore({ table: (await tables.make()).table, cluster: 'dev' }),
  );
  describeResourceStore('DynamoDB Local', async () => new DynamoResourceStore({ table: (await tables.make()).table }));
});
