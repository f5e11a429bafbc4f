import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import {
  commandLine,
  type Framing,
  formatFraming,
  parseFraming,
} from '../../../../../src/providers/fargate/exec/framing.ts';
import { quoteWords } from '../../../../../src/providers/fargate/exec/quote-words.ts';
import { splitWords } from './split-words.ts';

const DIRECT: Framing = { kind: 'direct', tty: false, stdin: false, marker: '' };
const WRAPPED: Framing = { kind: 'wrapped', tty: false, stdin: false, marker: '0123456789abcdef' };

/** Words with everything that a splitter could take for its own. */
const words = fc.array(
  fc.oneof(
    fc.string({ unit: fc.constantFrom("'", '"', '\\', ' ', '\n', '\t', '$', '#', '`', '{', '}', 'a', ';', '*', '~') }),
    fc.string({ unit: 'binary' }).map((text) => text.replaceAll('\0', '')),
  ),
  { minLength: 1 },
);

describe('a command line', () => {
  it('X-02: splits into exactly the words it was made of', () => {
    fc.assert(
      fc.property(words, (argv) => {
        expect(splitWords(quoteWords(argv))).toEqual(argv);
      }),
    );
  });

  it('X-02: means the same to a shell', () => {
    fc.assert(
      fc.property(words, (argv) => {
        const clean = argv.filter((word) => word.isWellFormed());
        const out = execFileSync('/bin/sh', ['-c', `printf "%s\\0" x ${quoteWords(clean)}`], { encoding: 'utf8' });
        expect(out.split('\0').slice(1, -1)).toEqual(clean);
      }),
      { numRuns: 50 },
    );
  });

  it.each([
    { argv: ['ls', '/bin'], line: "'ls' '/bin'" },
    { argv: ['sh', '-c', `echo "a  b" | wc -c`], line: `'sh' '-c' 'echo "a  b" | wc -c'` },
    { argv: ["it's", ''], line: String.raw`'it'\''s' ''` },
    { argv: ['{{ssm:x}}', '{{{'], line: "'{''{ssm:x}}' '{''{''{'" },
  ])('$argv is $line', ({ argv, line }) => {
    expect(commandLine(argv, DIRECT)).toBe(line);
  });

  it('never holds two opening braces, which Session Manager would read, nor a line end of ours', () => {
    fc.assert(
      fc.property(words, (argv) => {
        expect(quoteWords(argv)).not.toContain('{{');
      }),
    );
    for (const tty of [true, false]) expect(commandLine(['ls'], { ...WRAPPED, tty })).not.toMatch(/\{\{|\n/);
  });

  it('runs a wrapped command by /bin/sh, the words behind the script', () => {
    expect(splitWords(commandLine(['ls', '-l', "it's"], { ...WRAPPED, stdin: true }))).toEqual([
      '/bin/sh',
      '-c',
      expect.stringContaining('exec "$@"'),
      'svk',
      '0123456789abcdef',
      '1',
      'ls',
      '-l',
      "it's",
    ]);
  });

  it.each([
    { argv: ['a\0b'], message: 'a word holds a NUL byte' },
    { argv: ['-x'], message: '"-x" is no name of a program' },
    { argv: [''], message: '"" is no name of a program' },
  ])('refuses $argv', ({ argv, message }) => {
    expect(() => commandLine(argv, WRAPPED)).toThrow(message);
  });
});

describe('a framing', () => {
  it.each([DIRECT, WRAPPED, { ...WRAPPED, tty: true, stdin: true }])('comes back as it went: %j', (framing) => {
    expect(parseFraming(formatFraming(framing))).toEqual(framing);
  });

  it.each(['', 'null', '{"kind":"newer"}', '{"kind":"wrapped","tty":false,"stdin":false,"marker":"$(reboot)"}'])(
    'is refused where it is none: %s',
    (text) => {
      expect(() => parseFraming(text)).toThrow("use the plugin of the deployment's version");
    },
  );
});
