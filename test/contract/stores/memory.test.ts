import { expect, it } from 'vitest';
import { MemoryNodeStore } from '../../../src/adapters/memory/node-store.ts';
import { MemoryPodStore } from '../../../src/adapters/memory/pod-store.ts';
import { MemoryResourceStore } from '../../../src/adapters/memory/resource-store.ts';
import { describeNodeStore } from './node-store-contract.ts';
import { describePodStore } from './pod-store-contract.ts';
import { describeResourceStore } from './resource-store-contract.ts';
import { claimed, NOW, wakeOf } from './samples.ts';

describePodStore('memory', () => new MemoryPodStore());
describeNodeStore('memory', () => new MemoryNodeStore());
describeResourceStore('memory', () => new MemoryResourceStore());

it('what a store in memory has answered stays as it was', async () => {
  const store = new MemoryPodStore();
  const row = await claimed(store, 'a1');
  await store.wake(wakeOf('a1'));
  await store.save('a1', 'one', { state: { attempts: [], restarts: { app: 1 } }, nextCheckAt: NOW + 5 });
  expect(row).toMatchObject({ wanted: 1, state: { restarts: {} } });
});
