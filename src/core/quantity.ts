import { InvalidError } from './errors.ts';

/** An amount as Kubernetes writes them (`250m`, `1.5Gi`, `129e6`), exact to 10^-9; finer parts are rounded up as Kubernetes does. */
export interface Quantity {
  readonly nano: bigint;
}

const NANO_DIGITS = 9;
/** Kubernetes caps amounts at 2^63 - 1, which has 19 digits; longer exponents than this only serve to exhaust memory. */
const MAX_EXPONENT = 40;

const FORM = /^([+-]?)(\d*)(?:\.(\d*))?(n|u|m|k|M|G|T|P|E|Ki|Mi|Gi|Ti|Pi|Ei|[eE][+-]?\d+)?$/;

const DECIMAL_EXPONENTS: Readonly<Record<string, number>> = {
  n: -9,
  u: -6,
  m: -3,
  k: 3,
  M: 6,
  G: 9,
  T: 12,
  P: 15,
  E: 18,
};

const BINARY_POWERS: Readonly<Record<string, bigint>> = { Ki: 10n, Mi: 20n, Gi: 30n, Ti: 40n, Pi: 50n, Ei: 60n };

/**
 * Reads any form of `resource.Quantity`: decimal and binary suffixes, exponents, fractions, signs.
 * @throws {InvalidError} where the text is none.
 */
export const parseQuantity = (text: string): Quantity => {
  const [, sign, whole = '', fraction = '', suffix = ''] = FORM.exec(text) ?? [];
  if (sign === undefined || whole + fraction === '') throw new InvalidError(`"${text}" is not a quantity`);
  const binary = BINARY_POWERS[suffix];
  const exponent = DECIMAL_EXPONENTS[suffix] ?? (binary === undefined && suffix !== '' ? Number(suffix.slice(1)) : 0);
  if (Math.abs(exponent) > MAX_EXPONENT) throw new InvalidError(`"${text}" is out of range`);

  const mantissa = BigInt(whole + fraction) * 2n ** (binary ?? 0n);
  const nano = scaleUp(mantissa, exponent - fraction.length + NANO_DIGITS);
  return { nano: sign === '-' ? -nano : nano };
};

/** `amount` x 10^`exponent`, rounded up. */
const scaleUp = (amount: bigint, exponent: number): bigint =>
  exponent >= 0 ? amount * 10n ** BigInt(exponent) : ceilDivide(amount, 10n ** BigInt(-exponent));

/** `a / b` rounded up, for `b` > 0. */
const ceilDivide = (a: bigint, b: bigint): bigint => (a > 0n ? (a + b - 1n) / b : a / b);

/** How many of `unit` hold the amount, rounded up. `unit` must be above zero. */
export const countOf = (unit: Quantity, amount: Quantity): number => Number(ceilDivide(amount.nano, unit.nano));

/** The amount in thousandths (CPU: millicores), rounded up. */
export const toMilli = (amount: Quantity): number => Number(ceilDivide(amount.nano, 1_000_000n));

/** The amount as a whole number (memory: bytes), rounded up. */
export const toWhole = (amount: Quantity): number => Number(ceilDivide(amount.nano, 1_000_000_000n));

/** Bytes to MiB, rounded up. */
export const toMebi = (amount: Quantity): number => Number(ceilDivide(amount.nano, 1_000_000_000n << 20n));

/** Bytes to GiB, rounded up. */
export const toGibi = (amount: Quantity): number => Number(ceilDivide(amount.nano, 1_000_000_000n << 30n));

export const ZERO: Quantity = { nano: 0n };

export const addQuantities = (...amounts: readonly Quantity[]): Quantity => ({
  nano: amounts.reduce((sum, { nano }) => sum + nano, 0n),
});

export const largestQuantity = (first: Quantity, ...rest: readonly Quantity[]): Quantity =>
  rest.reduce((largest, amount) => (amount.nano > largest.nano ? amount : largest), first);
