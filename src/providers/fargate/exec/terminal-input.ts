/**
 * Bytes that mean something to a terminal in canonical mode, 0xff as the end of a line where a library has set it so;
 * Ctrl-V before one takes that away.
 */
const SPECIAL = new Set([
  0x03, 0x04, 0x08, 0x0a, 0x0d, 0x0f, 0x11, 0x12, 0x13, 0x15, 0x16, 0x17, 0x19, 0x1a, 0x1c, 0x7f, 0xff,
]);
const LITERAL_NEXT = 0x16;
const END_OF_FILE = 0x04;
/**
 * What is handed over at a time. A terminal holds 4095 bytes of a line. An odd number: where the hand-over fell on the
 * end of the reader's buffer, some kernels would show the next read an end of input.
 */
const PIECE_BYTES = 1999;
const READER_BUFFER_BYTES = 512;

/** Control characters that the wrapper's terminal settings leave alive. */
export const Control = {
  interrupt: Buffer.of(0x03),
  holdOutput: Buffer.of(0x13),
  goOn: Buffer.of(0x11),
  endOfFile: Buffer.of(END_OF_FILE),
  /** More than one: a reader that copies inside the kernel may have taken the first for the end of a piece. */
  endOfInput: Buffer.of(END_OF_FILE, END_OF_FILE, END_OF_FILE),
} as const;

/** Bytes as a terminal in canonical mode must get them in order to hand on exactly these. */
export const toTerminalInput = (bytes: Uint8Array): Buffer => {
  const out = Buffer.allocUnsafe(bytes.length * 2 + 2 * Math.ceil(bytes.length / PIECE_BYTES) + 2);
  let length = 0;
  for (const piece of piecesOf(bytes)) {
    for (const byte of piece) {
      if (SPECIAL.has(byte)) out[length++] = LITERAL_NEXT;
      out[length++] = byte;
    }
    out[length++] = END_OF_FILE;
  }
  return out.subarray(0, length);
};

function* piecesOf(bytes: Uint8Array): Generator<Uint8Array, void> {
  for (let start = 0; start < bytes.length; ) {
    const rest = Math.min(bytes.length - start, PIECE_BYTES);
    const size = rest % READER_BUFFER_BYTES === 0 ? rest - 1 : rest;
    yield bytes.subarray(start, start + size);
    start += size;
  }
}
