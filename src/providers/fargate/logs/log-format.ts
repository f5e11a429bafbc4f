/** One event of CloudWatch Logs, as far as we read it. */
export interface LogLine {
  /** Milliseconds since the epoch. */
  readonly timestamp: number;
  readonly message: string;
}

/** awslogs cuts a longer line at this many bytes, without a mark: an event this long goes on in the next one. */
const CUT_BYTES = 262_118;

/** Turns events into what a kubelet would write, keeping in mind whether the last one was cut. */
export class LogFormatter {
  readonly #timestamps: boolean;
  #continued = false;

  constructor({ timestamps }: { readonly timestamps: boolean }) {
    this.#timestamps = timestamps;
  }

  /** Lines end in a newline; timestamps have nine digits, as kubelet's (`RFC3339NanoFixed`). */
  format(lines: readonly LogLine[]): Uint8Array {
    return Buffer.from(lines.map((line) => this.#formatOne(line)).join(''), 'utf8');
  }

  #formatOne({ timestamp, message }: LogLine): string {
    const stamp = this.#timestamps && !this.#continued ? `${timestampOf(timestamp)} ` : '';
    this.#continued = message.length >= CUT_BYTES / 4 && Buffer.byteLength(message) === CUT_BYTES;
    return `${stamp}${message}${this.#continued ? '' : '\n'}`;
  }
}

const timestampOf = (milliseconds: number): string => new Date(milliseconds).toISOString().replace('Z', '000000Z');
