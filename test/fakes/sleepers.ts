export interface Sleeper {
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** Undefined where nobody waits any more. */
  wake: (() => void) | undefined;
  readonly order: number;
}

/** Who sleeps until when: a binary heap, earliest first, those of one moment in the order in which they lay down. */
export class Sleepers {
  readonly #heap: Sleeper[] = [];
  #count = 0;

  add(at: number, wake: () => void): Sleeper {
    const sleeper = { at, wake, order: this.#count++ };
    let index = this.#heap.push(sleeper) - 1;
    for (let above = parentOf(index); index > 0 && this.#isBefore(index, above); above = parentOf(index)) {
      this.#swap(index, above);
      index = above;
    }
    return sleeper;
  }

  /** Takes the first one that wants to be awake at `time`. */
  next(time: number): Sleeper | undefined {
    for (let first = this.#heap[0]; first && first.at <= time; first = this.#heap[0]) {
      this.#removeFirst();
      if (first.wake) return first;
    }
    return undefined;
  }

  isDue(time: number): boolean {
    return this.#heap.some(({ at, wake }) => at <= time && wake);
  }

  #removeFirst(): void {
    const last = this.#heap.pop();
    if (last === undefined || this.#heap.length === 0) return;
    this.#heap[0] = last;
    for (let index = 0; ; ) {
      const [left, right] = [2 * index + 1, 2 * index + 2];
      let first = index;
      if (left < this.#heap.length && this.#isBefore(left, first)) first = left;
      if (right < this.#heap.length && this.#isBefore(right, first)) first = right;
      if (first === index) return;
      this.#swap(index, first);
      index = first;
    }
  }

  #isBefore(index: number, other: number): boolean {
    const [a, b] = [this.#heap[index], this.#heap[other]];
    if (!a || !b) return false;
    return a.at < b.at || (a.at === b.at && a.order < b.order);
  }

  #swap(index: number, other: number): void {
    const [a, b] = [this.#heap[index], this.#heap[other]];
    if (!a || !b) return;
    this.#heap[index] = b;
    this.#heap[other] = a;
  }
}

const parentOf = (index: number): number => (index - 1) >> 1;
