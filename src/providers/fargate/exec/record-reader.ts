/** Before the marker: a byte that terminals' programs do not write, so that nothing is held back for its sake. */
const RECORD_SEPARATOR = 0x1e;
const LINE_FEED = 0x0a;
/** Longer than any record; what exceeds it is none of ours. */
const MOST_RECORD_BYTES = 4096;

export interface RecordSink {
  /** Bytes between the records. */
  data(bytes: Buffer): void;
  /** Text after the letter, without the end of the line. */
  record(letter: string, text: string): void;
}

/** Parts the wrapper's records from the bytes around them, however they are cut into pieces. */
export class RecordReader {
  readonly #marker: Buffer;
  readonly #sink: RecordSink;
  #held: Buffer = Buffer.alloc(0);

  constructor(marker: string, sink: RecordSink) {
    this.#marker = markerBytes(marker);
    this.#sink = sink;
  }

  push(chunk: Uint8Array): void {
    let bytes = this.#held.length === 0 ? Buffer.from(chunk) : Buffer.concat([this.#held, chunk]);
    this.#held = Buffer.alloc(0);
    for (;;) {
      const at = bytes.indexOf(this.#marker);
      if (at < 0) break;
      const start = at + this.#marker.length;
      const end = bytes.indexOf(LINE_FEED, start);
      if (end < 0 && bytes.length - start < MOST_RECORD_BYTES) {
        this.#data(bytes.subarray(0, at));
        this.#held = Buffer.from(bytes.subarray(at));
        return;
      }
      this.#data(bytes.subarray(0, at));
      if (end >= 0) this.#record(bytes.toString('latin1', start, end));
      bytes = bytes.subarray(end < 0 ? start : end + 1);
    }
    const keep = this.#beginningOfMarker(bytes);
    this.#data(bytes.subarray(0, bytes.length - keep));
    this.#held = Buffer.from(bytes.subarray(bytes.length - keep));
  }

  /** What was held back because a record could have begun there. */
  end(): void {
    this.#data(this.#held);
    this.#held = Buffer.alloc(0);
  }

  #data(bytes: Buffer): void {
    if (bytes.length > 0) this.#sink.data(bytes);
  }

  #record(line: string): void {
    const text = line.endsWith('\r') ? line.slice(0, -1) : line;
    this.#sink.record(text.slice(0, 1), text.slice(1));
  }

  /** How many of the last bytes may be the beginning of a marker. */
  #beginningOfMarker(bytes: Buffer): number {
    const at = bytes.lastIndexOf(RECORD_SEPARATOR);
    if (at < 0 || bytes.length - at >= this.#marker.length) return 0;
    return bytes.subarray(at).equals(this.#marker.subarray(0, bytes.length - at)) ? bytes.length - at : 0;
  }
}

/** What begins a record, and ends the line that the wrapper waits for at its end. */
export const markerBytes = (marker: string): Buffer =>
  Buffer.concat([Buffer.of(RECORD_SEPARATOR), Buffer.from(marker, 'latin1')]);
