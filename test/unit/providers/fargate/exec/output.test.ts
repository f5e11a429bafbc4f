import { gzipSync } from 'node:zlib';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { NewlineDecoder } from '../../../../../src/providers/fargate/exec/newline-decoder.ts';
import { outputDecoder } from '../../../../../src/providers/fargate/exec/output-decoder.ts';
import { RecordReader } from '../../../../../src/providers/fargate/exec/record-reader.ts';
import { startFailureOf } from '../../../../../src/providers/fargate/exec/start-failure.ts';
import { closingWords } from '../../../../../src/streaming/ssm/closing-words.ts';

const MARKER = '00112233445566778899aabbccddeeff';

/** Data and records as the reader tells of them, for a stream in pieces of these sizes, again and again. */
const read = (stream: Buffer, sizes: readonly number[]): { data: Buffer; records: readonly string[] } => {
  const data: Buffer[] = [];
  const records: string[] = [];
  const reader = new RecordReader(MARKER, {
    data: (bytes) => data.push(Buffer.from(bytes)),
    record: (letter, text) => records.push(`${letter} ${text}`),
  });
  for (let at = 0, n = 0; at < stream.length; n += 1) {
    const size = sizes[n % sizes.length] ?? 1;
    reader.push(stream.subarray(at, at + size));
    at += size;
  }
  reader.end();
  return { data: Buffer.concat(data), records };
};

describe('the records of the wrapper', () => {
  it('are parted from the bytes around them, however the stream is cut', () => {
    const bytes = fc.oneof(
      fc.uint8Array(),
      fc.constantFrom('\x1e', `\x1e${MARKER.slice(0, 20)}`, '\r\n').map(Buffer.from),
    );
    fc.assert(
      fc.property(fc.array(bytes), fc.array(fc.integer({ min: 1, max: 50 }), { minLength: 1 }), (around, sizes) => {
        const stream = Buffer.concat(
          around.flatMap((piece, n) => [Buffer.from(piece), Buffer.from(`\x1e${MARKER}x${n}${n % 2 ? '\r' : ''}\n`)]),
        );
        const { data, records } = read(stream, sizes);
        expect(data.equals(Buffer.concat(around.map((piece) => Buffer.from(piece))))).toBe(true);
        expect(records).toEqual(around.map((_, n) => `x ${n}`));
      }),
    );
  });

  it('hold nothing back that is no beginning of one', () => {
    const seen: string[] = [];
    const reader = new RecordReader(MARKER, { data: (bytes) => seen.push(bytes.toString()), record: () => undefined });
    for (const key of ['0', 'a', '\x1e', 'b']) reader.push(Buffer.from(key));
    expect(seen).toEqual(['0', 'a', '\x1eb']);
  });

  it('do not fill the memory where one never ends', () => {
    const { records, data } = read(Buffer.from(`\x1e${MARKER}${'y'.repeat(20_000)}`), [1000]);
    expect(records).toEqual([]);
    expect(data.length).toBe(20_000);
  });
});

describe('standard output', () => {
  const pieces = (encode: (bytes: Buffer) => string) => (chunks: readonly Uint8Array[]) =>
    chunks.map((chunk) => `${encode(Buffer.from(chunk))};`).join('');
  const wrapped = (text: string): string => text.replaceAll(/.{76}/g, '$&\r\n');

  it.each([
    { letter: 'g', encoded: pieces((bytes) => wrapped(gzipSync(bytes).toString('base64'))) },
    { letter: 'b', encoded: pieces((bytes) => wrapped(bytes.toString('base64'))) },
    { letter: 'h', encoded: pieces((bytes) => wrapped(bytes.toString('hex').replaceAll(/../g, ' $&'))) },
  ])('comes out of encoding $letter byte for byte, however it is cut', ({ letter, encoded }) => {
    const chunks = fc.array(fc.uint8Array({ minLength: 1, maxLength: 300 }));
    fc.assert(
      fc.property(chunks, fc.integer({ min: 1, max: 200 }), (given, size) => {
        const stream = Buffer.from(encoded(given));
        const decoder = outputDecoder(letter, true);
        const out: Buffer[] = [];
        for (let at = 0; at < stream.length; at += size) out.push(...decoder.decode(stream.subarray(at, at + size)));
        expect(Buffer.concat([...out, decoder.end()]).equals(Buffer.concat(given))).toBe(true);
      }),
    );
  });

  it.each([
    { want: 'a piece that is no gzip', stream: 'aGVsbG8=;' },
    { want: 'a piece that grows beyond measure', stream: `${gzipSync(Buffer.alloc(1_000_000)).toString('base64')};` },
    { want: 'a piece without an end', stream: 'a'.repeat(300_000) },
  ])('is damaged, and said to be: $want', ({ stream }) => {
    expect(() => outputDecoder('g', true).decode(Buffer.from(stream))).toThrow('came damaged');
  });

  it('loses the returns of a terminal that has its first settings, and no other', () => {
    const text = fc.string({ unit: fc.constantFrom('\r', '\n', 'a') });
    fc.assert(
      fc.property(text, fc.integer({ min: 1, max: 5 }), (given, size) => {
        const stream = Buffer.from(given.replaceAll('\n', '\r\n'));
        const decoder = new NewlineDecoder();
        const out: Buffer[] = [];
        for (let at = 0; at < stream.length; at += size) out.push(...decoder.decode(stream.subarray(at, at + size)));
        expect(Buffer.concat([...out, decoder.end()]).toString()).toBe(given);
      }),
    );
  });
});

describe('what an agent says at the end', () => {
  it.each([
    {
      output:
        '\n----------ERROR-------\nUnable to start command: Failed to start pty: fork/exec /no/such: no such file or directory\n\n',
      message: 'the command cannot be started: fork/exec /no/such: no such file or directory',
      shell: false,
    },
    {
      output:
        '\n----------ERROR-------\nUnable to start command: Failed to start pty: fork/exec /bin/sh: no such file or directory\n\n',
      message: 'the command cannot be started: fork/exec /bin/sh: no such file or directory',
      shell: true,
    },
  ])('is a failure to start: $message', ({ output, message, shell }) => {
    const failure = startFailureOf(output);
    expect(failure).toMatchObject({ name: 'InvalidError', message });
    expect(failure?.constructor.name === 'NoShellError').toBe(shell);
  });

  it('is nothing, or words without their frame', () => {
    expect(startFailureOf('')).toBeUndefined();
    expect(closingWords('')).toBe('');
    expect(closingWords('\n----------ERROR-------\nEncountered error.\n')).toBe('Encountered error.');
  });
});
