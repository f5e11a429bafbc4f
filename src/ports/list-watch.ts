/** A collection of the API server that can be listed and then followed. Errors are those of core/errors. */
export interface ListWatch<T> {
  /** The whole collection, and the resourceVersion a watch may begin at. */
  list(signal: AbortSignal): Promise<{ readonly items: readonly T[]; readonly resourceVersion: string }>;
  /**
   * Changes after `resourceVersion`, in order. Ends when the server ends it (then watch on from the last resourceVersion
   * seen) or `signal` aborts. @throws {TransientError} where the connection broke.
   */
  watch(resourceVersion: string, signal: AbortSignal): AsyncIterable<WatchEvent<T>>;
}

/**
 * - `BOOKMARK`: nothing changed up to `resourceVersion`; a later watch may begin there.
 * - `EXPIRED`: the server has forgotten the version (410 as status or inside the stream): list again. The last event.
 */
export type WatchEvent<T> =
  | { readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'; readonly object: T }
  | { readonly type: 'BOOKMARK'; readonly resourceVersion: string }
  | { readonly type: 'EXPIRED' };
