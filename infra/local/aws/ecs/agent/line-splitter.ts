/** Docker hands a line over in pieces of at most this many bytes. */
const maxLineBytes = 16_384;

/**
 * Cuts a byte stream into log messages as Docker's copier does: at line feeds, and a longer line into pieces of 16 KiB, each
 * a message of its own. Empty lines are dropped, as CloudWatch Logs takes no empty message.
 */
export class LineSplitter {
  readonly #onLine: (line: string) => void;
  #rest: Buffer = Buffer.alloc(0);

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  push(chunk: Uint8Array): void {
    let data = Buffer.concat([this.#rest, chunk]);
    for (;;) {
      const end = data.indexOf(0x0a);
      if (end >= 0 && end <= maxLineBytes) {
        this.#emit(data.subarray(0, end));
        data = data.subarray(end + 1);
      } else if (data.length > maxLineBytes) {
        this.#emit(data.subarray(0, maxLineBytes));
        data = data.subarray(maxLineBytes);
      } else {
        break;
      }
    }
    this.#rest = data;
  }

  /** The last line may lack its line feed. */
  end(): void {
    this.#emit(this.#rest);
    this.#rest = Buffer.alloc(0);
  }

  #emit(line: Buffer): void {
    if (line.length > 0) this.#onLine(line.toString('utf8'));
  }
}
