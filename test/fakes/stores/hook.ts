/** Sees every call of a store by name; what it throws is the call's rejection, how long it waits is the call's stall. */
export type StoreHook<Store> = (method: keyof Store, args: readonly unknown[]) => void | Promise<void>;

/** A copy as it would come back from a table: what is not JSON does not survive. */
export const clone = <T>(value: T): T => (value === undefined ? value : (JSON.parse(JSON.stringify(value)) as T));
