import { createHash } from 'node:crypto';

/** JSON with the keys of every object sorted, so that equal values have equal texts. `undefined` members are left out. */
export const stableJson = (value: unknown): string => JSON.stringify(sorted(value));

const sorted = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null || value instanceof Date) return value;
  if (Array.isArray(value)) return value.map(sorted);
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
  return Object.fromEntries(members.map(([key, member]) => [key, sorted(member)]));
};

/** The first `length` hexadecimal digits of the SHA-256 of `text` (UTF-8). */
export const sha256Hex = (text: string, length = 64): string =>
  createHash('sha256').update(text, 'utf8').digest('hex').slice(0, length);
