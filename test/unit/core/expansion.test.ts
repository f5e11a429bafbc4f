import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { expandReferences } from '../../../src/core/expansion.ts';

const VALUES: Readonly<Record<string, string>> = {
  VAR_A: 'A',
  VAR_B: 'B',
  VAR_C: 'C',
  VAR_REF: '$(VAR_A)',
  VAR_EMPTY: '',
};
const expand = (text: string): string => expandReferences(text, (name) => VALUES[name]);

describe('expandReferences', () => {
  it.each([
    ['whole string', '$(VAR_A)', 'A'],
    ['repeats', '$(VAR_A)-$(VAR_A)', 'A-A'],
    ['beginning', '$(VAR_A)-1', 'A-1'],
    ['middle', '___$(VAR_B)___', '___B___'],
    ['end', '___$(VAR_C)', '___C'],
    ['compound', '$(VAR_A)_$(VAR_B)_$(VAR_C)', 'A_B_C'],
    ['escape and expand', '$$(VAR_B)_$(VAR_A)', '$(VAR_B)_A'],
    ['compound escape', '$$(VAR_A)_$$(VAR_B)', '$(VAR_A)_$(VAR_B)'],
    ['mixed in escapes', 'f000-$$VAR_A', 'f000-$VAR_A'],
    ['backslash escape is ignored', 'foo\\$(VAR_C)bar', 'foo\\Cbar'],
    ['backslash escape of an escape', 'foo\\\\$(VAR_C)bar', 'foo\\\\Cbar'],
    ['lots of backslashes', 'foo\\\\\\\\$(VAR_A)bar', 'foo\\\\\\\\Abar'],
    ['nested references', '$(VAR_A$(VAR_B))', '$(VAR_A$(VAR_B))'],
    ['nested references, not closed', '$(VAR_A$(VAR_B)', '$(VAR_A$(VAR_B)'],
    ['value is a reference', '$(VAR_REF)', '$(VAR_A)'],
    ['value is a reference, mixed', '%%$(VAR_REF)--$(VAR_REF)%%', '%%$(VAR_A)--$(VAR_A)%%'],
    ['empty value', 'foo$(VAR_EMPTY)bar', 'foobar'],
    ['shell reference', '$VAR_A', '$VAR_A'],
    ['unknown', '$(VAR_DNE)', '$(VAR_DNE)'],
    ['lone operator at the end', 'foo$', 'foo$'],
    ['odd operators', '$$$$$$$(VAR_A)', '$$$A'],
    ['even operators', '$$$$$$(VAR_A)', '$$$(VAR_A)'],
    ['unclosed', '$(VAR_A', '$(VAR_A'],
    ['unclosed, then an escape', '$(VAR_A$$', '$(VAR_A$'],
    ['empty reference', '$()', '$()'],
    ['operator before a letter', '$a$(VAR_A)', '$aA'],
    ['brackets only', '(VAR_A)', '(VAR_A)'],
  ])('%s: %s', (_what, text, expected) => {
    expect(expand(text)).toBe(expected);
  });

  it('leaves text without a dollar alone', () => {
    fc.assert(
      fc.property(
        fc.string().filter((text) => !text.includes('$')),
        (text) => {
          expect(expand(text)).toBe(text);
        },
      ),
    );
  });

  it('gives back any text whose dollars are doubled', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(expand(text.replaceAll('$', '$$$$'))).toBe(text);
      }),
    );
  });

  it('does not read replacement patterns in values', () => {
    expect(expandReferences('x$(P)y', () => '$&$1$$')).toBe('x$&$1$$y');
  });
});
