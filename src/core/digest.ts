import { createHash } from 'node:crypto';

/** JSON with the keys of every object sorted, so that equal values have equal texts. `undefined` members are left out. */
export const stableJson = (value: unknown): string => JSON.stringify(value, sortKeys);

const sortKeys = (_key: string, value: unknown): unknown =>
  value !== null && typeof value === 'object' && !Array.isArray(value)
    ? Object.fromEntries(Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0)))
    : value;

/** The first `length` hexadecimal digits of the SHA-256 of `text` (UTF-8). */
export const sha256Hex = (text: string, length = 64): string =>
  createHash('sha256').update(text, 'utf8').digest('hex').slice(0, length);
