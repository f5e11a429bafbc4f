/** What arrives, in its order, for whoever waits for the next. */
export class Arrivals<T> {
  readonly #arrived: { readonly item: T }[] = [];
  readonly #waiting: ((item: T) => void)[] = [];

  add(item: T): void {
    const waiting = this.#waiting.shift();
    if (waiting === undefined) this.#arrived.push({ item });
    else waiting(item);
  }

  next(): Promise<T> {
    const first = this.#arrived.shift();
    if (first !== undefined) return Promise.resolve(first.item);
    return new Promise((resolve) => this.#waiting.push(resolve));
  }
}
