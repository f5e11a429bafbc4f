import { describe, expect, it } from 'vitest';
import { ageOf, humanDuration } from '../../../../infra/local/kubernetes/tables/age.ts';
import { qualifiedNameFaults } from '../../../../infra/local/kubernetes/values/names.ts';
import { formatQuantity, nanoOf, parseQuantity } from '../../../../infra/local/kubernetes/values/quantity.ts';
import { parseMicroTime, parseTime } from '../../../../infra/local/kubernetes/values/time.ts';

describe('quantities', () => {
  it.each([
    ['0.5', '500m'],
    ['1000m', '1'],
    ['1500m', '1500m'],
    ['1024Mi', '1Gi'],
    ['0.5Gi', '512Mi'],
    ['1.5Gi', '1536Mi'],
    ['1500Mi', '1500Mi'],
    ['1.5Ki', '1536'],
    ['100000k', '100M'],
    ['1e3', '1e3'],
    ['1E6', '1e6'],
    ['1E', '1E'],
    ['+5', '5'],
    ['-1', '-1'],
    ['.5', '500m'],
    ['5.', '5'],
    ['0', '0'],
    ['0.0000000001', '1n'],
    ['12345678901234567890', '12345678901234567890'],
  ])('%s is stored as %s', (text, want) => {
    const quantity = parseQuantity(text);
    expect(quantity && formatQuantity(quantity)).toBe(want);
  });

  it.each(['abc', '', '.', '1.2.3', '5 Gi', '1kk', 'Mi', '1ki'])('%s is none', (text) => {
    expect(parseQuantity(text)).toBeUndefined();
  });

  it('compare whatever their suffix', () => {
    expect(nanoOf('1Gi')).toBe(1_073_741_824_000_000_000n);
    expect(nanoOf('250m')).toBe(250_000_000n);
    expect(nanoOf(undefined)).toBe(0n);
  });
});

describe('times', () => {
  it.each([
    ['2030-01-01T00:00:00Z', '2030-01-01T00:00:00Z'],
    ['2030-01-01T00:00:00.987654321Z', '2030-01-01T00:00:00Z'],
    ['2030-01-01T02:00:00+02:00', '2030-01-01T00:00:00Z'],
  ])('%s is %s', (text, want) => {
    expect(parseTime(text)).toEqual({ ok: true, text: want });
  });

  it('have six fractional digits where they are micro times', () => {
    expect(parseMicroTime('2030-01-01T02:00:00.123456+02:00')).toEqual({
      ok: true,
      text: '2030-01-01T00:00:00.123456Z',
    });
    expect(parseMicroTime('yesterday')).toEqual({
      ok: false,
      message: 'parsing time "yesterday" as "2006-01-02T15:04:05.000000Z07:00": cannot parse "yesterday" as "2006"',
    });
  });
});

describe('ages', () => {
  it.each([
    [-5_000, '<invalid>'],
    [0, '0s'],
    [119_999, '119s'],
    [120_000, '2m'],
    [161_000, '2m41s'],
    [600_000, '10m'],
    [10_800_000, '3h'],
    [12_060_000, '3h21m'],
    [172_800_000, '2d'],
    [187_200_000, '2d4h'],
    [691_200_000, '8d'],
    [63_072_000_000, '2y'],
  ])('%i ms are %s', (ms, want) => {
    expect(humanDuration(ms)).toBe(want);
  });

  it('are unknown without a time', () => {
    expect(ageOf(undefined, 0)).toBe('<unknown>');
    expect(ageOf(null, 0)).toBe('<unknown>');
  });
});

describe('qualified names', () => {
  it.each([
    ['app', 0],
    ['app.kubernetes.io/name', 0],
    ['/name', 1],
    ['a/b/c', 1],
    ['-a', 1],
    ['', 2],
    ['Upper/name', 1],
  ])('%s has %i faults', (key, faults) => {
    expect(qualifiedNameFaults(key)).toHaveLength(faults);
  });
});
