import { MemoryNodeStore } from '../../../src/adapters/memory/node-store.ts';
import type { NodeFields, NodeRow, NodeStore } from '../../../src/ports/node-store.ts';
import { Hooked } from './hook.ts';

/** The store in memory, for tests that break it. */
export class FakeNodeStore extends Hooked<NodeStore> implements NodeStore {
  readonly #store = new MemoryNodeStore();

  get(node: string): Promise<NodeRow | undefined> {
    return this.call('get', [node], () => this.#store.get(node));
  }

  put(node: string, fields: NodeFields): Promise<void> {
    return this.call('put', [node, fields], () => this.#store.put(node, fields));
  }

  moveBeatCursor(from: number | undefined, to: number): Promise<void> {
    return this.call('moveBeatCursor', [from, to], () => this.#store.moveBeatCursor(from, to));
  }

  beatCursor(): Promise<number | undefined> {
    return this.call('beatCursor', [], () => this.#store.beatCursor());
  }

  takeTurn(node: string, options: { readonly now: number; readonly everyMs: number }): Promise<number> {
    return this.call('takeTurn', [node, options], () => this.#store.takeTurn(node, options));
  }
}
