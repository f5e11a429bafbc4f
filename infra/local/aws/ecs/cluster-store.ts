import * as z from 'zod/mini';
import { lastOf } from './arn.ts';
import type { Tag } from './tags.ts';

/** `capacityProviderStrategy` of clusters. */
export const strategySchema = z.optional(
  z.array(
    z.object({ capacityProvider: z.optional(z.string()), weight: z.optional(z.int()), base: z.optional(z.int()) }),
  ),
);

export type CapacityStrategy = NonNullable<z.output<typeof strategySchema>>;

/** `configuration` of clusters, as far as it has effects here: the key that sessions of ExecuteCommand are encrypted with. */
export const configurationSchema = z.optional(
  z.looseObject({ executeCommandConfiguration: z.optional(z.looseObject({ kmsKeyId: z.optional(z.string()) })) }),
);

export type ClusterConfiguration = NonNullable<z.output<typeof configurationSchema>>;

/** A cluster of the account. */
export interface Cluster {
  readonly arn: string;
  readonly name: string;
  readonly capacityProviders: readonly string[];
  readonly defaultStrategy: CapacityStrategy;
  readonly settings: readonly unknown[];
  readonly configuration: ClusterConfiguration;
  /** Container Insights, plain or enhanced. */
  readonly insights: boolean;
  readonly tags: readonly Tag[];
}

export class ClusterStore {
  readonly #byName = new Map<string, Cluster>();

  put(cluster: Cluster): void {
    this.#byName.set(cluster.name, cluster);
  }

  /** By name or ARN; `default` where none is named. */
  find(nameOrArn = 'default'): Cluster | undefined {
    const found = this.#byName.get(lastOf(nameOrArn));
    return nameOrArn.startsWith('arn:') && found?.arn !== nameOrArn ? undefined : found;
  }

  remove(name: string): void {
    this.#byName.delete(name);
  }

  all(): readonly Cluster[] {
    return [...this.#byName.values()];
  }
}
