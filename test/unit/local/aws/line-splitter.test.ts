import { describe, expect, it } from 'vitest';
import { LineSplitter } from '../../../../infra/local/aws/ecs/agent/line-splitter.ts';

const split = (...chunks: readonly (string | Uint8Array)[]): readonly string[] => {
  const lines: string[] = [];
  const splitter = new LineSplitter((line) => lines.push(line));
  for (const chunk of chunks) splitter.push(typeof chunk === 'string' ? Buffer.from(chunk) : chunk);
  splitter.end();
  return lines;
};

describe('LineSplitter', () => {
  it('joins chunks and cuts at line feeds, keeping carriage returns', () => {
    expect(split('a', 'b\nc\r\nd')).toEqual(['ab', 'c\r', 'd']);
  });

  it('drops empty lines, as CloudWatch Logs takes none', () => {
    expect(split('\n\na\n\n')).toEqual(['a']);
  });

  it('keeps a character together that arrives in two chunks', () => {
    const bytes = Buffer.from('é\n');
    expect(split(bytes.subarray(0, 1), bytes.subarray(1))).toEqual(['é']);
  });

  it.each([
    { bytes: 16_384, lengths: [16_384] },
    { bytes: 16_385, lengths: [16_384, 1] },
    { bytes: 300 * 1024, lengths: [...Array.from({ length: 18 }, () => 16_384), 12_288] },
  ])('cuts a line of $bytes bytes into pieces of 16 KiB', ({ bytes, lengths }) => {
    expect(split(`${'x'.repeat(bytes)}\n`).map(({ length }) => length)).toEqual(lengths);
  });
});
