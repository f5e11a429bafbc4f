/** A number with Kubernetes' suffixes, exact: `nano` counts 10^-9. */
export interface Quantity {
  readonly nano: bigint;
  readonly format: 'BinarySI' | 'DecimalSI' | 'DecimalExponent';
}

const FORM = /^([+-]?)(\d*)(?:\.(\d*))?(Ki|Mi|Gi|Ti|Pi|Ei|[numkMGTPE]|[eE][+-]?\d+|)$/;
const BINARY = ['', 'Ki', 'Mi', 'Gi', 'Ti', 'Pi', 'Ei'];
const DECIMAL: Readonly<Record<string, number>> = { n: -9, u: -6, m: -3, '': 0, k: 3, M: 6, G: 9, T: 12, P: 15, E: 18 };
const NANO = 1_000_000_000n;

/** Undefined where `text` is no quantity. Digits below 10^-9 are rounded up, as `resource.ParseQuantity` does. */
export const parseQuantity = (text: string): Quantity | undefined => {
  const match = FORM.exec(text.trim());
  if (!match) return undefined;
  const [, sign = '', whole = '', fraction = '', suffix = ''] = match;
  if (whole === '' && fraction === '') return undefined;
  const digits = BigInt(`${whole}${fraction}`);
  const power = BINARY.indexOf(suffix);
  const format = power > 0 ? 'BinarySI' : /^[eE][+-]?\d/.test(suffix) ? 'DecimalExponent' : 'DecimalSI';
  const exponent =
    format === 'DecimalExponent' ? Number(suffix.slice(1)) : format === 'DecimalSI' ? (DECIMAL[suffix] ?? 0) : 0;
  const factor = format === 'BinarySI' ? 1024n ** BigInt(power) : 1n;
  const scale = exponent - fraction.length + 9;
  const amount = digits * factor;
  const nano = scale >= 0 ? amount * 10n ** BigInt(scale) : ceilDivide(amount, 10n ** BigInt(-scale));
  return { nano: sign === '-' ? -nano : nano, format };
};

/** The canonical text (`0.5` is `500m`, `1024Mi` is `1Gi`), as the server stores it. */
export const formatQuantity = ({ nano, format }: Quantity): string => {
  const sign = nano < 0n ? '-' : '';
  const size = nano < 0n ? -nano : nano;
  if (size === 0n) return '0';
  if (format === 'BinarySI' && size >= 1024n * NANO) {
    let value = ceilDivide(size, NANO);
    let power = 0;
    while (value % 1024n === 0n && power < BINARY.length - 1) {
      value /= 1024n;
      power += 1;
    }
    return `${sign}${value}${BINARY[power]}`;
  }
  let value = size;
  let exponent = -9;
  while (value % 1000n === 0n && exponent < 18) {
    value /= 1000n;
    exponent += 3;
  }
  if (format === 'DecimalExponent') return `${sign}${value}${exponent === 0 ? '' : `e${exponent}`}`;
  const suffix = Object.keys(DECIMAL).find((key) => DECIMAL[key] === exponent);
  return `${sign}${value}${suffix ?? ''}`;
};

/** How much `text` is in units of 10^-9; 0 where it is absent or no quantity. */
export const nanoOf = (text: unknown): bigint =>
  (typeof text === 'string' || typeof text === 'number' ? parseQuantity(String(text))?.nano : undefined) ?? 0n;

const ceilDivide = (dividend: bigint, divisor: bigint): bigint => (dividend + divisor - 1n) / divisor;
