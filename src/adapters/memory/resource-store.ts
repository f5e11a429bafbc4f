import { NotFoundError } from '../../core/errors.ts';
import type { ResourceStore, SharedResource } from '../../ports/resource-store.ts';

interface ResourceRow extends SharedResource {
  readonly maker?: { readonly id: string; readonly until: number };
}

/** What a provider shares between pods, for as long as the process lives. */
export class MemoryResourceStore implements ResourceStore {
  readonly #rows = new Map<string, ResourceRow>();

  async get(key: string): Promise<SharedResource | undefined> {
    const row = this.#rows.get(key);
    return row && sharedResourceOf(row);
  }

  async claim(
    key: string,
    { id, now, until }: { readonly id: string; readonly now: number; readonly until: number },
  ): Promise<boolean> {
    const { value, maker } = this.#rows.get(key) ?? {};
    const isTaken = maker !== undefined && maker.id !== id && maker.until > now;
    if (value !== undefined || isTaken) return false;
    this.#rows.set(key, { key, usedAt: now, maker: { id, until } });
    return true;
  }

  async ready(key: string, { value, usedAt }: { readonly value: string; readonly usedAt: number }): Promise<void> {
    this.#rows.set(key, { key, value, usedAt });
  }

  async touch(key: string, usedAt: number): Promise<void> {
    const row = this.#rows.get(key);
    if (row === undefined) throw new NotFoundError(`there is no shared resource ${key}`);
    this.#rows.set(key, { ...row, usedAt: Math.max(row.usedAt, usedAt) });
  }

  async *unused(prefix: string, before: number): AsyncIterable<SharedResource> {
    for (const row of this.#rows.values())
      if (row.key.startsWith(prefix) && row.usedAt < before) yield sharedResourceOf(row);
  }

  async remove(key: string, before: number): Promise<boolean> {
    if ((this.#rows.get(key)?.usedAt ?? Number.NEGATIVE_INFINITY) >= before) return false;
    this.#rows.delete(key);
    return true;
  }

  async drop(key: string): Promise<void> {
    this.#rows.delete(key);
  }

  /** Every resource as it stands. */
  all(): readonly SharedResource[] {
    return [...this.#rows.values()].map(sharedResourceOf);
  }
}

const sharedResourceOf = ({ key, value, usedAt }: ResourceRow): SharedResource => ({
  key,
  usedAt,
  ...(value !== undefined && { value }),
});
