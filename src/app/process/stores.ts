import type { Clock } from '../../core/clock.ts';
import type { NodeStore } from '../../ports/node-store.ts';
import type { PodStore } from '../../ports/pod-store.ts';
import type { Variables } from '../../ports/provider-factory.ts';
import type { ResourceStore } from '../../ports/resource-store.ts';
import type { StateOptions } from './run-options.ts';

export interface Stores {
  readonly podStore: PodStore;
  readonly nodeStore: NodeStore;
  readonly resources: ResourceStore;
  close(): void;
}

/** Where this process keeps its rows. The table is the one of a deployment, with the same rows. */
export const openStores = async (
  state: StateOptions,
  { clock, cluster, environment }: { readonly clock: Clock; readonly cluster: string; readonly environment: Variables },
): Promise<Stores> => {
  switch (state.kind) {
    case 'memory': {
      const { MemoryNodeStore } = await import('../../adapters/memory/node-store.ts');
      const { MemoryPodStore } = await import('../../adapters/memory/pod-store.ts');
      const { MemoryResourceStore } = await import('../../adapters/memory/resource-store.ts');
      return {
        podStore: new MemoryPodStore(),
        nodeStore: new MemoryNodeStore(),
        resources: new MemoryResourceStore(),
        close: () => undefined,
      };
    }
    case 'dynamodb': {
      const { createDynamoClient } = await import('../../adapters/dynamodb/client.ts');
      const { DynamoNodeStore } = await import('../../adapters/dynamodb/node-store.ts');
      const { DynamoPodStore } = await import('../../adapters/dynamodb/pod-store.ts');
      const { DynamoResourceStore } = await import('../../adapters/dynamodb/resource-store.ts');
      const { Table } = await import('../../adapters/dynamodb/table.ts');
      const endpoint = environment['AWS_ENDPOINT_URL_DYNAMODB'];
      const client = createDynamoClient({ region: state.region, ...(endpoint && { endpoint }) });
      const table = new Table(client, state.table);
      return {
        podStore: new DynamoPodStore({ table, clock, cluster }),
        nodeStore: new DynamoNodeStore({ table, cluster }),
        resources: new DynamoResourceStore({ table }),
        close: () => client.destroy(),
      };
    }
    default:
      return state satisfies never;
  }
};
