import { afterAll, beforeAll } from 'vitest';
import { DynamoNodeStore } from '../../../src/adapters/dynamodb/node-store.ts';
import { DynamoPodStore } from '../../../src/adapters/dynamodb/pod-store.ts';
import { DynamoResourceStore } from '../../../src/adapters/dynamodb/resource-store.ts';
import { FakeClock } from '../../fakes/clock.ts';
import { startDynalite } from './dynalite-server.ts';
import { type Tables, tablesOn } from './dynamodb-tables.ts';
import { describeNodeStore } from './node-store-contract.ts';
import { describePodStore } from './pod-store-contract.ts';
import { describeResourceStore } from './resource-store-contract.ts';

let tables: Tables;
let stop: () => Promise<void>;

beforeAll(async () => {
  const server = await startDynalite();
  tables = tablesOn(server.url);
  stop = async () => {
    tables.close();
    await server.close();
  };
});
afterAll(() => stop());

const clock = new FakeClock();

describePodStore('dynalite', async () => {
  const { table } = await tables.make();
  return new DynamoPodStore({ table, clock, cluster: 'dev' });
});
describePodStore('dynalite, three shards of timers', async () => {
  const { table } = await tables.make();
  return new DynamoPodStore({ table, clock, cluster: 'dev', timerShards: 3 });
});
describeNodeStore('dynalite', async () => new DynamoNodeStore({ table: (await tables.make()).table, cluster: 'dev' }));
describeResourceStore('dynalite', async () => new DynamoResourceStore({ table: (await tables.make()).table }));
