import { describe, expect, it } from 'vitest';
import { commandWords } from '../../../../infra/local/aws/sessions/command-words.ts';

describe('the words of a command', () => {
  it.each([
    ['ls -l /tmp', ['ls', '-l', '/tmp']],
    ['  a\t b\r\n c  ', ['a', 'b', 'c']],
    ["sh -c 'echo $HOME; exit 3'", ['sh', '-c', 'echo $HOME; exit 3']],
    ['a "b c"\'d e\'f', ['a', 'b cd ef']],
    ['""', ['']],
    ["a '' b", ['a', '', 'b']],
    [String.raw`a\ b \'c\" \\`, ['a b', '\'c"', '\\']],
    [String.raw`"a\"b\\c\nd$e"`, ['a"b\\cnd$e']],
    [String.raw`'a\nb'`, [String.raw`a\nb`]],
    ['a # b c\nd', ['a', 'd']],
    ['a#b c\\#', ['a#b', 'c#']],
    ["'it'\\''s'", ["it's"]],
    ['ä 😀', ['ä', '😀']],
    ['a|b && c > d', ['a|b', '&&', 'c', '>', 'd']],
    ['', []],
    ['# nothing', []],
  ])('%j', (command, words) => {
    expect(commandWords(command)).toEqual(words);
  });

  it.each([
    ["a 'b", 'EOF found when expecting closing quote'],
    ['a "b', 'EOF found when expecting closing quote'],
    ['a \\', 'EOF found after escape character'],
    ['"a \\', 'EOF found after escape character'],
  ])('%j is left open', (command, message) => {
    expect(() => commandWords(command)).toThrow(message);
  });
});
