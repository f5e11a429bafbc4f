/**
 * Addresses of 127.0.0.0/8, one for each task: nothing sent to them ever leaves the machine. On Linux a process that binds
 * 0.0.0.0 answers on all of them.
 */
export class LoopbackAddresses {
  readonly #second: number;
  readonly #taken = new Set<string>();
  #next = 0;

  /** @param second the address's second number, which tells runtimes apart. */
  constructor(second: number) {
    this.#second = second;
  }

  /** @throws {Error} when all 65,024 are taken. */
  take(): string {
    for (let tries = 0; tries < 65_024; tries += 1) {
      const address = `127.${this.#second}.${Math.floor(this.#next / 254)}.${(this.#next % 254) + 1}`;
      this.#next = (this.#next + 1) % 65_024;
      if (this.#taken.has(address)) continue;
      this.#taken.add(address);
      return address;
    }
    throw new Error('no loopback address is free');
  }

  give(address: string): void {
    this.#taken.delete(address);
  }
}
