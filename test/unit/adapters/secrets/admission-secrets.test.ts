import { describe, expect, it } from 'vitest';
import { parseAdmissionSecrets } from '../../../../src/adapters/secrets/admission-secrets.ts';

const CURRENT = '0123456789abcdef0123456789abcdef';
const BEFORE = 'fedcba9876543210fedcba9876543210';

describe('parseAdmissionSecrets', () => {
  it.each([
    ['one', `${CURRENT}\n`, [CURRENT]],
    ['two while they are rotated', `${CURRENT}\n${BEFORE}`, [CURRENT, BEFORE]],
  ])('reads %s', (_what, text, secrets) => {
    expect(parseAdmissionSecrets(text, '/svk/admission')).toEqual(secrets);
  });

  it.each([
    ['nothing', ' \n', '/svk/admission is empty: store 32 hexadecimal digits of chance'],
    ['a short one', `${CURRENT} short`, '/svk/admission: word 2 must be at least 22 letters'],
    ['one that is no path segment', `${CURRENT}/`, '/svk/admission: word 1 must be'],
  ])('refuses %s without telling it', (_what, text, message) => {
    expect(() => parseAdmissionSecrets(text, '/svk/admission')).toThrow(message);
    expect(() => parseAdmissionSecrets(text, '/svk/admission')).not.toThrow('short:');
  });
});
