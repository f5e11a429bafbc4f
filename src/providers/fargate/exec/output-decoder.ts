import { gunzipSync } from 'node:zlib';
import { TransientError } from '../../../core/errors.ts';
import { NewlineDecoder } from './newline-decoder.ts';

/** Turns what a wrapper prints for standard output into its bytes. */
export interface OutputDecoder {
  /** @throws {TransientError} for what no wrapper prints. */
  decode(bytes: Buffer): readonly Buffer[];
  /** What was held back. */
  end(): Buffer;
}

const SEMICOLON = 0x3b;
const NOTHING = Buffer.alloc(0);
/** The wrapper's own, before it encodes them. */
const PIECE_BYTES = 49_152;
const MOST_ENCODED_BYTES = 4 * PIECE_BYTES;

/** By the letter in the wrapper's first record; see wrapper-script.ts. `hasTerminalSettings`: newlines come as they are. */
export const outputDecoder = (letter: string, hasTerminalSettings: boolean): OutputDecoder => {
  switch (letter) {
    case 'g':
      return new PieceDecoder((text) => gunzipSync(Buffer.from(text, 'base64'), { maxOutputLength: PIECE_BYTES }));
    case 'b':
      return new PieceDecoder((text) => Buffer.from(text, 'base64'));
    case 'h':
      return new PieceDecoder((text) => Buffer.from(text.replaceAll(/\s/g, ''), 'hex'));
    default:
      return hasTerminalSettings ? AS_IT_IS : new NewlineDecoder();
  }
};

const AS_IT_IS: OutputDecoder = { decode: (bytes) => [bytes], end: () => NOTHING };

class PieceDecoder implements OutputDecoder {
  readonly #decodePiece: (text: string) => Buffer;
  #pending: Buffer = NOTHING;

  constructor(decodePiece: (text: string) => Buffer) {
    this.#decodePiece = decodePiece;
  }

  decode(bytes: Buffer): readonly Buffer[] {
    const pieces: Buffer[] = [];
    let rest = Buffer.concat([this.#pending, bytes]);
    for (let end = rest.indexOf(SEMICOLON); end >= 0; end = rest.indexOf(SEMICOLON)) {
      pieces.push(this.#piece(rest.toString('latin1', 0, end)));
      rest = rest.subarray(end + 1);
    }
    if (rest.length > MOST_ENCODED_BYTES) throw new TransientError(DAMAGED);
    this.#pending = rest;
    return pieces;
  }

  end(): Buffer {
    return NOTHING;
  }

  #piece(text: string): Buffer {
    try {
      return this.#decodePiece(text);
    } catch (cause) {
      throw new TransientError(DAMAGED, { cause });
    }
  }
}

const DAMAGED = 'the output of the command came damaged: another process has written to the terminal of the session';
