/**
 * Runs `task` soon after `wake`, once for many wakes, never twice at a time. A controller reacts to changes this way:
 * never from inside the write that caused them.
 */
export class Work {
  readonly #task: () => Promise<void> | void;
  readonly #closing: AbortSignal;
  #isRunning = false;
  #isWanted = false;

  constructor(task: () => Promise<void> | void, closing: AbortSignal) {
    this.#task = task;
    this.#closing = closing;
  }

  wake(): void {
    this.#isWanted = true;
    if (this.#isRunning) return;
    this.#isRunning = true;
    setImmediate(() => void this.#run());
  }

  async #run(): Promise<void> {
    while (this.#isWanted && !this.#closing.aborted) {
      this.#isWanted = false;
      await this.#task();
    }
    this.#isRunning = false;
  }
}
