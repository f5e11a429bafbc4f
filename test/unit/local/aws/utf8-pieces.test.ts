import { describe, expect, it } from 'vitest';
import { Utf8Pieces } from '../../../../infra/local/aws/sessions/utf8-pieces.ts';

/** What is sent for each of the chunks, in hexadecimal digits. */
const sent = (...chunks: readonly string[]): readonly string[] => {
  const pieces = new Utf8Pieces();
  return chunks.map((chunk) => {
    pieces.push(Buffer.from(chunk, 'hex'));
    return Buffer.from(pieces.take()).toString('hex');
  });
};

describe('what the agent sends of what it reads', () => {
  it.each([
    { want: 'all of a text', chunks: ['6162c3a9f09f9880'], expected: ['6162c3a9f09f9880'] },
    { want: 'a character in two parts, when it is whole', chunks: ['61e282', 'ac62'], expected: ['61', 'e282ac62'] },
    { want: 'bytes that are no text, where more follows', chunks: ['41fffe42c3a943'], expected: ['41fffe42c3a943'] },
    {
      want: 'nothing of the last three bytes that are no text',
      chunks: ['414243ff', '4445', '46'],
      expected: ['414243', '', 'ff444546'],
    },
    { want: 'stray continuations before the last three bytes', chunks: ['8080808041'], expected: ['8080'] },
    { want: 'nothing for nothing', chunks: ['', 'c3', ''], expected: ['', '', ''] },
  ])('$want', ({ chunks, expected }) => {
    expect(sent(...chunks)).toEqual(expected);
  });

  it('1024 bytes at a time, and up to three more that had to wait', () => {
    const pieces = new Utf8Pieces();
    pieces.push(Buffer.concat([Buffer.alloc(1022, 'x'), Buffer.from('€'), Buffer.alloc(2000, 'y')]));
    expect(pieces.bytes).toBe(3025);
    expect([pieces.take(), pieces.take(), pieces.take()].map(({ length }) => length)).toEqual([1022, 1026, 977]);
    expect(pieces.bytes).toBe(0);
  });
});
