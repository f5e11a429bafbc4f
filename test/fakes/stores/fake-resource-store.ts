import { MemoryResourceStore } from '../../../src/adapters/memory/resource-store.ts';
import type { ResourceStore, SharedResource } from '../../../src/ports/resource-store.ts';
import { Hooked } from './hook.ts';

/** The store in memory, for tests that break it. */
export class FakeResourceStore extends Hooked<ResourceStore> implements ResourceStore {
  readonly #store = new MemoryResourceStore();

  /** Every resource as it stands, for assertions. */
  resources(): readonly SharedResource[] {
    return this.#store.all();
  }

  get(key: string): Promise<SharedResource | undefined> {
    return this.call('get', [key], () => this.#store.get(key));
  }

  claim(key: string, claim: { readonly id: string; readonly now: number; readonly until: number }): Promise<boolean> {
    return this.call('claim', [key, claim], () => this.#store.claim(key, claim));
  }

  ready(key: string, resource: { readonly value: string; readonly usedAt: number }): Promise<void> {
    return this.call('ready', [key, resource], () => this.#store.ready(key, resource));
  }

  touch(key: string, usedAt: number): Promise<void> {
    return this.call('touch', [key, usedAt], () => this.#store.touch(key, usedAt));
  }

  async *unused(prefix: string, before: number): AsyncIterable<SharedResource> {
    yield* await this.call('unused', [prefix, before], async () => {
      const found: SharedResource[] = [];
      for await (const resource of this.#store.unused(prefix, before)) found.push(resource);
      return found;
    });
  }

  remove(key: string, before: number): Promise<boolean> {
    return this.call('remove', [key, before], () => this.#store.remove(key, before));
  }

  drop(key: string): Promise<void> {
    return this.call('drop', [key], () => this.#store.drop(key));
  }
}
