import type { LogQuery } from '../../../model/log-query.ts';
import { firstMillisecond } from '../../logs/log-window.ts';

/** A piece of one line, as it was written. */
interface Piece {
  readonly at: number;
  readonly bytes: Uint8Array;
  readonly startsLine: boolean;
}

type Output = 'stdout' | 'stderr';

/** What is kept of one container; the oldest lines go first. */
const MAX_BYTES = 67_108_864;
/** Many short lines are handed on together. */
const BATCH_BYTES = 65_536;

/** What a process printed, both of its streams in the order it came, read by kubelet's rules. */
export class OutputLog {
  readonly #maxBytes: number;
  readonly #midLine: Record<Output, boolean> = { stdout: false, stderr: false };
  readonly #readers = new Set<() => void>();
  #pieces: Piece[] = [];
  #bytes = 0;
  /** How many pieces have gone. */
  #gone = 0;
  #isOver = false;

  constructor(maxBytes: number = MAX_BYTES) {
    this.#maxBytes = maxBytes;
  }

  append(from: Output, chunk: Uint8Array, at: number): void {
    for (let start = 0; start < chunk.length; ) {
      const newline = chunk.indexOf(10, start);
      const end = newline === -1 ? chunk.length : newline + 1;
      this.#pieces.push({ at, bytes: chunk.subarray(start, end), startsLine: !this.#midLine[from] });
      this.#midLine[from] = newline === -1;
      start = end;
    }
    this.#bytes += chunk.length;
    this.#forget();
    this.#tell();
  }

  /** Nothing comes any more: whoever follows is at the end. */
  end(): void {
    this.#isOver = true;
    this.#tell();
  }

  /** From what the query names on; with `follow` until the end, or until `signal` aborts. */
  async *read(query: LogQuery, signal: AbortSignal): AsyncGenerator<Uint8Array, void> {
    for (let next = this.#firstOf(query); ; ) {
      const batch: Uint8Array[] = [];
      let length = 0;
      for (next = Math.max(next, this.#gone); next < this.#end && length < BATCH_BYTES; next += 1) {
        const piece = this.#pieces[next - this.#gone];
        if (piece === undefined) continue;
        if (query.timestamps && piece.startsLine) batch.push(Buffer.from(`${timestampOf(piece.at)} `));
        batch.push(piece.bytes);
        length += piece.bytes.length;
      }
      if (batch.length > 0) yield Buffer.concat(batch);
      else if (this.#isOver || !query.follow || signal.aborted) return;
      else await this.#news(signal);
    }
  }

  get #end(): number {
    return this.#gone + this.#pieces.length;
  }

  /** Number of the first piece of a query, lines that have gone counted. */
  #firstOf({ sinceTime, tailLines }: LogQuery): number {
    const since = sinceTime === undefined ? Number.NEGATIVE_INFINITY : firstMillisecond(sinceTime);
    const recent = this.#pieces.findIndex(({ at }) => at >= since);
    const first = recent === -1 ? this.#pieces.length : recent;
    if (tailLines === undefined) return this.#gone + first;
    let tail = this.#pieces.length;
    for (let lines = 0; lines < tailLines && tail > first; ) {
      tail -= 1;
      if (this.#pieces[tail]?.startsLine) lines += 1;
    }
    return this.#gone + tail;
  }

  #forget(): void {
    let count = 0;
    for (const { bytes } of this.#pieces) {
      if (this.#bytes <= this.#maxBytes) break;
      this.#bytes -= bytes.length;
      count += 1;
    }
    if (count === 0) return;
    this.#pieces = this.#pieces.slice(count);
    this.#gone += count;
  }

  #tell(): void {
    for (const reader of this.#readers) reader();
  }

  #news(signal: AbortSignal): Promise<void> {
    return new Promise((resolve) => {
      const done = (): void => {
        this.#readers.delete(done);
        signal.removeEventListener('abort', done);
        resolve();
      };
      this.#readers.add(done);
      signal.addEventListener('abort', done, { once: true });
      if (signal.aborted) done();
    });
  }
}

/** Nine digits, as kubelet's (`RFC3339NanoFixed`). */
const timestampOf = (ms: number): string => new Date(ms).toISOString().replace('Z', '000000Z');
