import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { MUTANTS } from './mutants.ts';

const ROOT = new URL('../../', import.meta.url);

describe.each(MUTANTS)('mutant "$name"', ({ changes }) => {
  it.each(changes)('changes one place of $file', ({ file, from, to }) => {
    expect(readFileSync(new URL(file, ROOT), 'utf8').split(from)).toHaveLength(2);
    expect(to).not.toBe(from);
  });
});
