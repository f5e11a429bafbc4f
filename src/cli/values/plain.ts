import { given, type Parsed, refused } from './value.ts';

/** The words Go's `strconv.ParseBool` takes. */
const WORDS: Readonly<Record<string, boolean>> = {
  ...Object.fromEntries(['1', 't', 'T', 'true', 'TRUE', 'True'].map((word) => [word, true])),
  ...Object.fromEntries(['0', 'f', 'F', 'false', 'FALSE', 'False'].map((word) => [word, false])),
};

export const parseBoolean = (text: string): Parsed<boolean> => {
  const value = Object.hasOwn(WORDS, text) ? WORDS[text] : undefined;
  return value === undefined ? refused(`must be true or false, not "${text}"`) : given(value);
};

/** A whole number from 1 on. */
export const parseCount = (text: string): Parsed<number> =>
  /^\d{1,6}$/.test(text) && Number(text) > 0
    ? given(Number(text))
    : refused(`must be a whole number above zero, not "${text}"`);

/** A number above zero. */
export const parseRate = (text: string): Parsed<number> => {
  const value = Number(text);
  return /^[\d.]+$/.test(text) && Number.isFinite(value) && value > 0
    ? given(value)
    : refused(`must be a number above zero, not "${text}"`);
};

export const parseOneOf =
  <T extends string>(...words: readonly T[]): ((text: string) => Parsed<T>) =>
  (text) => {
    const word = words.find((one) => one === text);
    return word === undefined ? refused(`must be ${words.join(' or ')}, not "${text}"`) : given(word);
  };

/** Any text but an empty one. */
export const parseText = (text: string): Parsed<string> => (text === '' ? refused('must not be empty') : given(text));
