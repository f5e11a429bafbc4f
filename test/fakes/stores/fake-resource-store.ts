import { NotFoundError } from '../../../src/core/errors.ts';
import type { ResourceStore, SharedResource } from '../../../src/ports/resource-store.ts';
import { clone, type StoreHook } from './hook.ts';

interface Row extends SharedResource {
  readonly claim?: { readonly id: string; readonly until: number };
}

/** Shared resources in memory. */
export class FakeResourceStore implements ResourceStore {
  /** Runs before a method touches anything: throw or stall here. */
  before: StoreHook<ResourceStore> | undefined;
  /** Runs after a method has done its work and before it answers: throw here to lose an answer. */
  after: StoreHook<ResourceStore> | undefined;

  readonly #rows = new Map<string, Row>();

  /** Every resource as it stands, for assertions. */
  resources(): readonly SharedResource[] {
    return [...this.#rows.values()].map(resourceOf);
  }

  get(key: string): Promise<SharedResource | undefined> {
    return this.#call('get', [key], () => {
      const row = this.#rows.get(key);
      return row && resourceOf(row);
    });
  }

  claim(key: string, claim: { readonly id: string; readonly now: number; readonly until: number }): Promise<boolean> {
    return this.#call('claim', [key, claim], () => {
      const row = this.#rows.get(key);
      const held = row?.claim && row.claim.id !== claim.id && row.claim.until > claim.now;
      if (row?.value !== undefined || held) return false;
      this.#rows.set(key, { key, usedAt: claim.now, claim: { id: claim.id, until: claim.until } });
      return true;
    });
  }

  ready(key: string, { value, usedAt }: { readonly value: string; readonly usedAt: number }): Promise<void> {
    return this.#call('ready', [key, { value, usedAt }], () => {
      this.#rows.set(key, { key, value, usedAt });
    });
  }

  touch(key: string, usedAt: number): Promise<void> {
    return this.#call('touch', [key, usedAt], () => {
      const row = this.#rows.get(key);
      if (!row) throw new NotFoundError(`there is no shared resource ${key}`);
      this.#rows.set(key, { ...row, usedAt: Math.max(row.usedAt, usedAt) });
    });
  }

  async *unused(prefix: string, before: number): AsyncIterable<SharedResource> {
    const found = await this.#call('unused', [prefix, before], () =>
      [...this.#rows.values()].filter(({ key, usedAt }) => key.startsWith(prefix) && usedAt < before).map(resourceOf),
    );
    yield* found;
  }

  remove(key: string, before: number): Promise<boolean> {
    return this.#call('remove', [key, before], () => {
      const row = this.#rows.get(key);
      if (row && row.usedAt >= before) return false;
      this.#rows.delete(key);
      return true;
    });
  }

  drop(key: string): Promise<void> {
    return this.#call('drop', [key], () => {
      this.#rows.delete(key);
    });
  }

  async #call<T>(method: keyof ResourceStore, args: readonly unknown[], work: () => T): Promise<T> {
    await this.before?.(method, args);
    const answer = work();
    await this.after?.(method, args);
    return answer;
  }
}

const resourceOf = ({ key, value, usedAt }: Row): SharedResource =>
  clone({ key, ...(value !== undefined && { value }), usedAt });
