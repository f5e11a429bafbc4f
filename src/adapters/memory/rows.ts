/**
 * Where a store in memory keeps its rows: a `Map`, or something that behaves like one. `values` is what the indexes are
 * read from; it may lag behind `get`, which decides.
 */
export interface Rows<Row> {
  get(key: string): Row | undefined;
  set(key: string, row: Row): unknown;
  delete(key: string): unknown;
  values(): Iterable<Row>;
}
