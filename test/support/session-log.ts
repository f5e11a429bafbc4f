import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';

/** The audit line of a session, as a process with `--log-format=json` writes it. */
export interface SessionLine {
  readonly session: string;
  readonly user: string;
  readonly pod: string;
  readonly container?: string;
  readonly program?: string;
  readonly transport: string;
  readonly protocol?: string;
  readonly durationMs: number;
  readonly bytesIn: number;
  readonly bytesOut: number;
  readonly result: string;
}

/** Reads the audit lines of a process, each once. */
export class SessionLog {
  readonly #file: string;
  #read = 0;

  constructor(file: string) {
    this.#file = file;
  }

  /** The sessions that have ended since the last look; waits until there are so many. */
  async next(count = 1): Promise<readonly SessionLine[]> {
    for (let left = 900; ; left -= 1) {
      const fresh = (await this.#all()).slice(this.#read);
      if (fresh.length >= count) {
        this.#read += fresh.length;
        return fresh;
      }
      if (left === 0) throw new Error(`${fresh.length} of ${count} sessions have ended within 90 s: ${this.#file}`);
      await delay(100);
    }
  }

  async #all(): Promise<readonly SessionLine[]> {
    // What comes after the last newline is still being written.
    const lines = (await readFile(this.#file, 'utf8')).split('\n').slice(0, -1);
    return lines.filter((line) => line.includes('"session ended"')).map((line) => JSON.parse(line) as SessionLine);
  }
}
