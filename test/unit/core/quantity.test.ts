import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { InvalidError } from '../../../src/core/errors.ts';
import {
  addQuantities,
  countOf,
  largestQuantity,
  parseQuantity,
  toGibi,
  toMebi,
  toMilli,
  toWhole,
} from '../../../src/core/quantity.ts';

describe('parseQuantity', () => {
  it.each([
    ['0', 0n],
    ['1', 1_000_000_000n],
    ['+1', 1_000_000_000n],
    ['-1', -1_000_000_000n],
    ['.5', 500_000_000n],
    ['5.', 5_000_000_000n],
    ['1n', 1n],
    ['1u', 1_000n],
    ['1m', 1_000_000n],
    ['1k', 1_000_000_000_000n],
    ['1M', 10n ** 15n],
    ['1G', 10n ** 18n],
    ['1T', 10n ** 21n],
    ['1P', 10n ** 24n],
    ['1E', 10n ** 27n],
    ['1Ki', 1_024_000_000_000n],
    ['1Mi', 1_048_576n * 10n ** 9n],
    ['1Gi', 1_073_741_824n * 10n ** 9n],
    ['1Ti', 1_099_511_627_776n * 10n ** 9n],
    ['1Pi', 1_125_899_906_842_624n * 10n ** 9n],
    ['1Ei', 1_152_921_504_606_846_976n * 10n ** 9n],
    ['1e3', 1_000_000_000_000n],
    ['1E3', 1_000_000_000_000n],
    ['12e-1', 1_200_000_000n],
    ['0.1', 100_000_000n],
    ['1.5Gi', 1_610_612_736n * 10n ** 9n],
  ])('reads %s exactly', (text, nano) => {
    expect(parseQuantity(text).nano).toBe(nano);
  });

  it('rounds what is finer than a nano up', () => {
    expect(parseQuantity('0.0000000001').nano).toBe(1n);
    expect(parseQuantity('1.0000000001n').nano).toBe(2n);
  });

  it.each(['', ' 1', '1 ', '.', 'Ki', '1K', '1mi', '1KiB', '1e', '1e1.5', '0x10', 'NaN', '1e99', '1,5'])(
    'refuses "%s"',
    (text) => {
      expect(() => parseQuantity(text)).toThrow(InvalidError);
    },
  );

  it('agrees with integer arithmetic for every whole number and decimal suffix', () => {
    fc.assert(
      fc.property(
        fc.bigInt({ min: 0n, max: 10n ** 15n }),
        fc.constantFrom(['k', 3n], ['M', 6n], ['G', 9n]),
        (n, unit) => {
          const [suffix, zeros] = unit as [string, bigint];
          expect(parseQuantity(`${n}${suffix}`).nano).toBe(n * 10n ** (zeros + 9n));
        },
      ),
    );
  });

  it('reads a fraction as the sum of its digits', () => {
    fc.assert(
      fc.property(fc.nat(1_000_000), fc.nat(999), (whole, milli) => {
        const text = `${whole}.${String(milli).padStart(3, '0')}`;
        expect(parseQuantity(text)).toEqual(parseQuantity(`${BigInt(whole) * 1000n + BigInt(milli)}m`));
      }),
    );
  });
});

describe('the odd quantities people write', () => {
  it.each([
    { memory: '128974848', mebi: 123, bytes: 128_974_848 },
    { memory: '129e6', mebi: 124, bytes: 129_000_000 },
    { memory: '128974848000m', mebi: 123, bytes: 128_974_848 },
    { memory: '128974848001m', mebi: 124, bytes: 128_974_849 },
    { memory: '0.9G', mebi: 859, bytes: 900_000_000 },
    { memory: '1.5Gi', mebi: 1536, bytes: 1_610_612_736 },
    { memory: '4Mi', mebi: 4, bytes: 4_194_304 },
    { memory: '0', mebi: 0, bytes: 0 },
  ])('memory $memory is $bytes bytes, $mebi MiB', ({ memory, mebi, bytes }) => {
    expect(toWhole(parseQuantity(memory))).toBe(bytes);
    expect(toMebi(parseQuantity(memory))).toBe(mebi);
  });

  it.each([
    { cpu: '0.1', milli: 100 },
    { cpu: '1500m', milli: 1500 },
    { cpu: '0.5', milli: 500 },
    { cpu: '100m', milli: 100 },
    { cpu: '0', milli: 0 },
    { cpu: '1u', milli: 1 },
    { cpu: '0.0015', milli: 2 },
  ])('cpu $cpu is $milli millicores', ({ cpu, milli }) => {
    expect(toMilli(parseQuantity(cpu))).toBe(milli);
  });
});

describe('arithmetic', () => {
  it('counts units, rounded up', () => {
    expect(countOf(parseQuantity('1Mi'), parseQuantity('512Mi'))).toBe(512);
    expect(countOf(parseQuantity('1Mi'), parseQuantity('1048577'))).toBe(2);
  });

  it('adds, compares and rounds to GiB', () => {
    expect(addQuantities(parseQuantity('250m'), parseQuantity('1'), parseQuantity('0.75'))).toEqual(parseQuantity('2'));
    expect(largestQuantity(parseQuantity('1Gi'), parseQuantity('1G'))).toEqual(parseQuantity('1Gi'));
    expect(toGibi(parseQuantity('20.1Gi'))).toBe(21);
  });
});
