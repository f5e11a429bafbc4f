type State = 'between words' | 'in a word' | 'in single quotes' | 'in double quotes' | 'in a comment';

/**
 * Splits a command as the agent does (github.com/google/shlex): blanks separate, quotes join, a backslash takes the next
 * character as it is (within double quotes, too), `#` at the start of a word begins a comment. Nothing is expanded.
 * @throws {Error} in shlex's words where a quote or a backslash is left open.
 */
export const commandWords = (command: string): readonly string[] => {
  const words: string[] = [];
  let word = '';
  let state: State = 'between words';
  const characters = command[Symbol.iterator]();
  for (const character of characters) {
    switch (state) {
      case 'in single quotes':
        if (character === "'") state = 'in a word';
        else word += character;
        break;
      case 'in double quotes':
        if (character === '"') state = 'in a word';
        else word += character === '\\' ? escaped(characters) : character;
        break;
      case 'in a comment':
        if (character === '\n') state = 'between words';
        break;
      case 'between words':
      case 'in a word':
        if (isBlank(character)) {
          if (state === 'in a word') words.push(word);
          word = '';
          state = 'between words';
        } else if (character === '#' && state === 'between words') {
          state = 'in a comment';
        } else if (character === "'" || character === '"') {
          state = character === "'" ? 'in single quotes' : 'in double quotes';
        } else {
          word += character === '\\' ? escaped(characters) : character;
          state = 'in a word';
        }
        break;
      default:
        state satisfies never;
    }
  }
  if (state === 'in single quotes' || state === 'in double quotes') {
    throw new Error('EOF found when expecting closing quote');
  }
  return state === 'in a word' ? [...words, word] : words;
};

const isBlank = (character: string): boolean => [' ', '\t', '\r', '\n'].includes(character);

const escaped = (characters: Iterator<string>): string => {
  const next = characters.next();
  if (next.done) throw new Error('EOF found after escape character');
  return next.value;
};
