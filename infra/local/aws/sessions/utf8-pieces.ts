/** What the agent reads from the terminal at once, and therefore nearly all that one message holds. */
const readBytes = 1024;
/** A character of UTF-8 has at most so many bytes. */
const longestCharacter = 4;

/**
 * Cuts what a terminal writes into payloads as the agent does (`processStdoutData` of aws/amazon-ssm-agent): up to 1024
 * bytes at a time, and where something that is no whole character lies within the last three, those wait for more.
 * What still waits when the command ends is lost.
 */
export class Utf8Pieces {
  #chunks: Buffer[] = [];
  #waiting: Buffer = Buffer.alloc(0);
  #bytes = 0;

  /** Bytes that were pushed and not yet taken, without those that wait for the rest of their character. */
  get bytes(): number {
    return this.#bytes;
  }

  push(chunk: Uint8Array): void {
    if (chunk.length === 0) return;
    this.#chunks.push(Buffer.from(chunk));
    this.#bytes += chunk.length;
  }

  /** The next payload; empty where nothing can be sent yet. */
  take(): Uint8Array {
    const piece = Buffer.concat([this.#waiting, this.#read()]);
    const end = endOfCharacters(piece);
    this.#waiting = piece.subarray(end);
    return piece.subarray(0, end);
  }

  #read(): Buffer {
    const parts: Buffer[] = [];
    let wanted = readBytes;
    while (wanted > 0) {
      const [first] = this.#chunks;
      if (!first) break;
      parts.push(first.subarray(0, wanted));
      if (first.length > wanted) this.#chunks[0] = first.subarray(wanted);
      else this.#chunks.shift();
      wanted -= Math.min(wanted, first.length);
    }
    const read = Buffer.concat(parts);
    this.#bytes -= read.length;
    return read;
  }
}

const endOfCharacters = (bytes: Buffer): number => {
  let start = Math.max(0, bytes.length - longestCharacter + 1);
  // A character that begins earlier may reach into the last three bytes.
  while (start > 0 && bytes.length - start < 2 * longestCharacter && isContinuation(bytes[start])) start -= 1;
  for (let at = start; at < bytes.length; ) {
    const length = characterLength(bytes, at);
    if (length === 0 && bytes.length - at < longestCharacter) return at;
    at += Math.max(1, length);
  }
  return bytes.length;
};

const isContinuation = (byte: number | undefined): boolean => byte !== undefined && (byte & 0xc0) === 0x80;

/** The length of the character that begins there; 0 where none does. U+FFFD is none for the agent, either. */
const characterLength = (bytes: Buffer, at: number): number => {
  const first = bytes[at] ?? 0;
  if (first < 0x80) return 1;
  const length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  const text = bytes.toString('utf8', at, at + length);
  return Buffer.byteLength(text) === length && !text.includes('\ufffd') ? length : 0;
};
