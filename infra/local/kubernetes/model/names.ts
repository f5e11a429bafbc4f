import type { Random } from '../../../../src/core/clock.ts';

/** The letters apimachinery's `rand.String` draws from: no vowels, so that no words come out. */
const ALPHABET = 'bcdfghjklmnpqrstvwxz2456789';
const LONGEST_BASE = 58;

/** Five random letters, as `generateName` appends them. */
export const randomSuffix = (random: Random): string =>
  Array.from({ length: 5 }, () => ALPHABET[Math.floor(random.next() * ALPHABET.length)] ?? 'b').join('');

/** A name from `generateName`, cut so that the whole fits into 63 characters. */
export const generatedName = (base: string, random: Random): string =>
  `${base.slice(0, LONGEST_BASE)}${randomSuffix(random)}`;
