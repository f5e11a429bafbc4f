/** A client of a remote command, whatever carries it. */
export interface CommandClient {
  /** What came on a stream so far; `error` is the status. */
  readonly output: Readonly<Record<StreamName, Buffer>> & { readonly lengthOf: (name: StreamName) => number };
  /** Whether the server has said that the streams are over: their ends, or the close of the WebSocket. */
  readonly hasEnded: () => boolean;
  /** Whether the connection is gone. */
  readonly isGone: () => boolean;
  /** Answers whether the socket has room for more. */
  write(stream: 'stdin' | 'resize', data: Uint8Array | string): boolean;
  endInput(): void;
  /** Bytes the socket has not taken yet. */
  readonly unsent: () => number;
  pause(): void;
  resume(): void;
  /** Leaves as a client does that has seen the end. */
  leave(): void;
  /** Dies. */
  vanish(): void;
}

export type StreamName = 'stdout' | 'stderr' | 'error';

/** Output as it grows, without copying all of it at each piece. */
export class Output {
  readonly #parts: Record<StreamName, Buffer[]> = { stdout: [], stderr: [], error: [] };

  add(name: StreamName, part: Buffer): void {
    this.#parts[name].push(part);
  }

  lengthOf(name: StreamName): number {
    return this.#parts[name].reduce((sum, part) => sum + part.length, 0);
  }

  get stdout(): Buffer {
    return this.#joined('stdout');
  }

  get stderr(): Buffer {
    return this.#joined('stderr');
  }

  get error(): Buffer {
    return this.#joined('error');
  }

  #joined(name: StreamName): Buffer {
    const whole = Buffer.concat(this.#parts[name]);
    this.#parts[name] = [whole];
    return whole;
  }
}
