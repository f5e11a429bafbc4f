/**
 * What a provider makes once and shares between pods (task definitions, parameters), by a key of its own choice. The
 * rows say who is making it, what it is called, and when it was last needed.
 */
export interface ResourceStore {
  get(key: string): Promise<SharedResource | undefined>;
  /**
   * One write: the right to make it, until `until`, where nobody has made it or the maker's right is over.
   * False where somebody else is at it or has done it.
   */
  claim(key: string, claim: { readonly id: string; readonly now: number; readonly until: number }): Promise<boolean>;
  /** It is made. `value` is what its users need (an ARN); `usedAt` in milliseconds since the epoch. */
  ready(key: string, resource: { readonly value: string; readonly usedAt: number }): Promise<void>;
  /** Moves `usedAt` ahead. @throws {NotFoundError} where the row is gone. */
  touch(key: string, usedAt: number): Promise<void>;
  /** Resources with this key prefix not used since `before`. */
  unused(prefix: string, before: number): AsyncIterable<SharedResource>;
  /** Removes the row if it was not used since `before`; false where it was. */
  remove(key: string, before: number): Promise<boolean>;
  /** Removes the row at once: what it names has been found to be gone. */
  drop(key: string): Promise<void>;
}

export interface SharedResource {
  readonly key: string;
  /** Undefined while it is being made. */
  readonly value?: string;
  readonly usedAt: number;
}
