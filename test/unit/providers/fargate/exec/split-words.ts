/** Words of a command line by the rules of google/shlex, written from its documentation: the agent's splitter. */
export const splitWords = (line: string): readonly string[] => {
  const words: string[] = [];
  let word: string | undefined;
  let state: 'start' | 'word' | 'single' | 'double' | 'comment' = 'start';
  let escaped = false;
  for (const char of line) {
    if (escaped) {
      word = (word ?? '') + char;
      escaped = false;
    } else if (state === 'single') {
      if (char === "'") state = 'word';
      else word = (word ?? '') + char;
    } else if (state === 'double') {
      if (char === '"') state = 'word';
      else if (char === '\\') escaped = true;
      else word = (word ?? '') + char;
    } else if (state === 'comment') {
      if (char === '\n') state = 'start';
    } else if (' \t\r\n'.includes(char)) {
      if (word !== undefined) words.push(word);
      word = undefined;
      state = 'start';
    } else if (char === '#' && state === 'start') state = 'comment';
    else if (char === "'" || char === '"') {
      word ??= '';
      state = char === "'" ? 'single' : 'double';
    } else {
      word ??= '';
      if (char === '\\') escaped = true;
      else word += char;
      state = 'word';
    }
  }
  if (word !== undefined) words.push(word);
  return words;
};
