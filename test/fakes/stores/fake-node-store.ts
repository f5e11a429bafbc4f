import { ConflictError } from '../../../src/core/errors.ts';
import type { NodeFields, NodeRow, NodeStore } from '../../../src/ports/node-store.ts';
import { clone, type StoreHook } from './hook.ts';

/** Rows of nodes and the beats' cursor in memory. */
export class FakeNodeStore implements NodeStore {
  /** Runs before a method touches anything: throw or stall here. */
  before: StoreHook<NodeStore> | undefined;
  /** Runs after a method has done its work and before it answers: throw here to lose an answer. */
  after: StoreHook<NodeStore> | undefined;

  readonly #rows = new Map<string, NodeRow>();
  #cursor: number | undefined;

  get(node: string): Promise<NodeRow | undefined> {
    return this.#call('get', [node], () => clone(this.#rows.get(node)));
  }

  put(node: string, fields: NodeFields): Promise<void> {
    return this.#call('put', [node, fields], () => {
      // JSON leaves out what is undefined: that removes the field.
      this.#rows.set(node, clone({ ...this.#rows.get(node), ...fields }) as NodeRow);
    });
  }

  moveBeatCursor(from: number | undefined, to: number): Promise<void> {
    return this.#call('moveBeatCursor', [from, to], () => {
      if (this.#cursor !== from) throw new ConflictError('another run has moved the cursor of the beats');
      this.#cursor = to;
    });
  }

  beatCursor(): Promise<number | undefined> {
    return this.#call('beatCursor', [], () => this.#cursor);
  }

  async #call<T>(method: keyof NodeStore, args: readonly unknown[], work: () => T): Promise<T> {
    await this.before?.(method, args);
    const answer = work();
    await this.after?.(method, args);
    return answer;
  }
}
