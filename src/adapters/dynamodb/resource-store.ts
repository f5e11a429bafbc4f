import * as z from 'zod/mini';
import { NotFoundError, PermanentError } from '../../core/errors.ts';
import type { ResourceStore, SharedResource } from '../../ports/resource-store.ts';
import { SCHEMA_VERSION } from './schema.ts';
import type { Item, Table } from './table.ts';

const resourceItem = z.object({
  pk: z.string(),
  usedAt: z.number(),
  value: z.optional(z.string()),
});

/** Shared resources (`TASKDEF#<hash>`, `SECRET#<path>`) on DynamoDB; the key is the row's. */
export class DynamoResourceStore implements ResourceStore {
  readonly #table: Table;

  constructor({ table }: { readonly table: Table }) {
    this.#table = table;
  }

  async get(key: string): Promise<SharedResource | undefined> {
    const item = await this.#table.get(key);
    return item && parseResource(item);
  }

  async claim(
    key: string,
    { id, now, until }: { readonly id: string; readonly now: number; readonly until: number },
  ): Promise<boolean> {
    const { ok } = await this.#table.update(key, {
      update: 'SET #claimId = :id, #claimUntil = :until, #usedAt = :now, #schemaVersion = :schema',
      condition:
        'attribute_not_exists(#pk) OR (attribute_not_exists(#value) AND (#claimId = :id OR #claimUntil <= :now))',
      values: { ':id': id, ':until': until, ':now': now, ':schema': SCHEMA_VERSION },
    });
    return ok;
  }

  async ready(key: string, { value, usedAt }: { readonly value: string; readonly usedAt: number }): Promise<void> {
    await this.#table.update(key, {
      update: 'SET #value = :value, #usedAt = :usedAt, #schemaVersion = :schema REMOVE #claimId, #claimUntil',
      values: { ':value': value, ':usedAt': usedAt, ':schema': SCHEMA_VERSION },
    });
  }

  /** One request; a second one where `usedAt` does not move ahead. */
  async touch(key: string, usedAt: number): Promise<void> {
    const { ok } = await this.#table.update(key, {
      update: 'SET #usedAt = :usedAt',
      condition: 'attribute_exists(#pk) AND #usedAt < :usedAt',
      values: { ':usedAt': usedAt },
    });
    if (!ok && !(await this.#table.get(key))) throw new NotFoundError(`there is no shared resource ${key}`);
  }

  async *unused(prefix: string, before: number): AsyncIterable<SharedResource> {
    const items = this.#table.scan('begins_with(#pk, :prefix) AND #usedAt < :before', {
      ':prefix': prefix,
      ':before': before,
    });
    for await (const item of items) yield parseResource(item);
  }

  async remove(key: string, before: number): Promise<boolean> {
    const { ok } = await this.#table.delete(key, {
      condition: 'attribute_not_exists(#pk) OR #usedAt < :before',
      values: { ':before': before },
    });
    return ok;
  }

  async drop(key: string): Promise<void> {
    await this.#table.delete(key);
  }
}

const parseResource = (item: Item): SharedResource => {
  const parsed = resourceItem.safeParse(item);
  if (!parsed.success) {
    throw new PermanentError(`row ${String(item['pk'])} is not one of ours: delete it`, { cause: parsed.error });
  }
  const { pk, usedAt, value } = parsed.data;
  return { key: pk, usedAt, ...(value !== undefined && { value }) };
};
