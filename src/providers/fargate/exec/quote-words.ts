/**
 * One command line that splits into exactly these words, by the rules of the agent (google/shlex, a subset of the
 * shell's). Each word stands in single quotes; a pair of opening braces is parted, because Session Manager takes
 * `{{…}}` for the name of a parameter of its own.
 */
export const quoteWords = (words: readonly string[]): string => words.map(quoteWord).join(' ');

const quoteWord = (word: string): string =>
  `'${word.replaceAll("'", String.raw`'\''`).replaceAll(/\{(?=\{)/g, "{''")}'`;
