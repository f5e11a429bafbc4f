/** DER (X.690), as far as a certificate needs it. */
export type Der = Uint8Array<ArrayBuffer>;

/** One element: tag, length, content. */
const element = (tag: number, content: Uint8Array): Der => {
  const { length } = content;
  const lengthBytes = length < 128 ? [length] : longLength(length);
  const whole = new Uint8Array(1 + lengthBytes.length + length);
  whole.set([tag, ...lengthBytes]);
  whole.set(content, 1 + lengthBytes.length);
  return whole;
};

const longLength = (length: number): number[] => {
  const bytes: number[] = [];
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) bytes.unshift(rest % 256);
  return [0x80 | bytes.length, ...bytes];
};

export const sequence = (...parts: readonly Uint8Array[]): Der => element(0x30, Buffer.concat(parts));
export const set = (...parts: readonly Uint8Array[]): Der => element(0x31, Buffer.concat(parts));
/** `[n]`, around what it holds. */
export const explicit = (n: number, content: Uint8Array): Der => element(0xa0 | n, content);
/** `[n]` instead of the tag of a string or of bytes. */
export const implicit = (n: number, content: Uint8Array): Der => element(0x80 | n, content);
export const bitString = (bytes: Uint8Array, unusedBits = 0): Der =>
  element(0x03, Buffer.concat([Uint8Array.of(unusedBits), bytes]));
export const octetString = (bytes: Uint8Array): Der => element(0x04, bytes);
export const utf8String = (text: string): Der => element(0x0c, Buffer.from(text, 'utf8'));
export const trueValue: Der = element(0x01, Uint8Array.of(0xff));

/** Of `bytes`, most significant first; never negative. */
export const unsignedInteger = (bytes: Uint8Array): Der =>
  element(0x02, (bytes[0] ?? 0) < 0x80 ? bytes : Buffer.concat([Uint8Array.of(0), bytes]));

/** From its dotted form. */
export const objectIdentifier = (dotted: string): Der => {
  const [first = 0, second = 0, ...rest] = dotted.split('.').map(Number);
  return element(0x06, Uint8Array.from([first * 40 + second, ...rest.flatMap(base128)]));
};

const base128 = (value: number): number[] => {
  const digits = [value % 128];
  for (let rest = Math.floor(value / 128); rest > 0; rest = Math.floor(rest / 128)) digits.unshift((rest % 128) | 0x80);
  return digits;
};

/** RFC 5280: years up to 2049 as UTCTime, later ones as GeneralizedTime. `ms`: milliseconds since the epoch. */
export const time = (ms: number): Der => {
  const digits = new Date(ms)
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replaceAll(/[-:T]/g, '');
  return digits < '2050' ? element(0x17, Buffer.from(digits.slice(2))) : element(0x18, Buffer.from(digits));
};
