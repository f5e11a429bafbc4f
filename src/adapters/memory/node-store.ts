import { ConflictError } from '../../core/errors.ts';
import type { NodeFields, NodeRow, NodeStore } from '../../ports/node-store.ts';

/** Rows of nodes and the cursor of the beats, for as long as the process lives. */
export class MemoryNodeStore implements NodeStore {
  readonly #rows = new Map<string, NodeRow>();
  readonly #turns = new Map<string, number>();
  #cursor: number | undefined;

  async get(node: string): Promise<NodeRow | undefined> {
    return this.#rows.get(node);
  }

  async put(node: string, fields: NodeFields): Promise<void> {
    const merged = Object.entries({ ...this.#rows.get(node), ...fields });
    this.#rows.set(node, Object.fromEntries(merged.filter(([, value]) => value !== undefined)));
  }

  async moveBeatCursor(from: number | undefined, to: number): Promise<void> {
    if (this.#cursor !== from) throw new ConflictError('another run has moved the cursor of the beats');
    this.#cursor = to;
  }

  async beatCursor(): Promise<number | undefined> {
    return this.#cursor;
  }

  async takeTurn(node: string, { now, everyMs }: { readonly now: number; readonly everyMs: number }): Promise<number> {
    const turn = Math.max(now, this.#turns.get(node) ?? 0) + everyMs;
    this.#turns.set(node, turn);
    return turn;
  }
}
