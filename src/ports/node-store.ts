/** Rows of nodes and of the beats. All times in milliseconds since the epoch. */
export interface NodeStore {
  get(node: string): Promise<NodeRow | undefined>;
  /** Adds or overwrites just the given fields; a field given as undefined is removed. */
  put(node: string, fields: NodeFields): Promise<void>;
  /** Moves the cursor of sent beats from `from` to `to`. @throws {ConflictError} where another run has moved it. */
  moveBeatCursor(from: number | undefined, to: number): Promise<void>;
  beatCursor(): Promise<number | undefined>;
  /**
   * The next turn of those who must come one after the other: `everyMs` after the turn taken before, never sooner than
   * `everyMs` after `now`. No two callers get the same.
   */
  takeTurn(node: string, options: { readonly now: number; readonly everyMs: number }): Promise<number>;
}

export interface NodeRow {
  /** Set once every workload of our ECS cluster was adopted: nothing is launched before. */
  readonly adoptedAt?: number;
  /** UID of namespace kube-system when the node was registered. */
  readonly clusterId?: string;
  /** When the provider last answered a ping, and since when it does not. */
  readonly reachableAt?: number;
  readonly unreachableSince?: number;
  /** Refusals for want of capacity or quota, by pod UID. */
  readonly refusals?: Readonly<Record<string, number>>;
  readonly outOfCapacityUntil?: number;
}

/** Fields of a node's row to write; undefined removes. */
export type NodeFields = { readonly [K in keyof NodeRow]?: NodeRow[K] | undefined };
