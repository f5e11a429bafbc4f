import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { toTerminalInput } from '../../../../../src/providers/fargate/exec/terminal-input.ts';

/**
 * What reads of a terminal in canonical mode answer, by termios(3): Ctrl-V takes the next byte as it is, Ctrl-D hands
 * over what has come. `signals` are bytes that would have done something else.
 */
const readsOf = (typed: Uint8Array): { readonly reads: readonly Buffer[]; readonly signals: readonly number[] } => {
  const reads: Buffer[] = [];
  const signals: number[] = [];
  let line: number[] = [];
  let literal = false;
  for (const byte of typed) {
    if (literal) {
      line.push(byte);
      literal = false;
    } else if (byte === 0x16) literal = true;
    else if (byte === 0x04) {
      reads.push(Buffer.from(line));
      line = [];
    } else if ([0x03, 0x08, 0x0a, 0x11, 0x12, 0x13, 0x15, 0x17, 0x1a, 0x1c, 0x7f, 0xff].includes(byte))
      signals.push(byte);
    else line.push(byte);
  }
  return { reads, signals };
};

describe('input for a terminal in canonical mode', () => {
  it('is handed on byte for byte, in pieces that are no end of input and no full buffer', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 9000 }), (bytes) => {
        const { reads, signals } = readsOf(toTerminalInput(bytes));
        expect(Buffer.concat(reads).equals(bytes)).toBe(true);
        expect(signals).toEqual([]);
        for (const { length } of reads) {
          expect(length).toBeGreaterThan(0);
          expect(length).toBeLessThan(2000);
          expect(length % 512).not.toBe(0);
        }
      }),
    );
  });

  it('is handed on whatever its length', () => {
    for (let length = 0; length < 5000; length += 1) {
      const { reads } = readsOf(toTerminalInput(Buffer.alloc(length, 'x')));
      expect(reads.reduce((sum, read) => sum + read.length, 0)).toBe(length);
      for (const read of reads) expect(read.length % 512).not.toBe(0);
    }
  });
});
