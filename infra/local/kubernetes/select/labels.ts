/** A selector that cannot be read; the message is the real server's. */
export class SelectorError extends Error {
  override readonly name = 'SelectorError';
}

export type LabelSelector = (labels: Readonly<Record<string, string>>) => boolean;

const TOKEN = /\s*(==|!=|[=!<>(),]|[^\s=!<>(),]+)/y;

/** Reads `a=b,c!=d,e in (f,g),h notin (i),j,!k,l>1`. @throws {SelectorError} */
export const parseLabelSelector = (text: string): LabelSelector => {
  const tokens = tokensOf(text);
  const requirements: LabelSelector[] = [];
  while (tokens.length > 0) {
    requirements.push(requirement(tokens));
    const next = tokens.shift();
    if (next !== undefined && next !== ',') throw parseFailure(`found '${next}', expected: ',' or 'end of string'`);
    if (next === ',' && tokens.length === 0) throw parseFailure("found '', expected: identifier after ','");
  }
  return (labels) => requirements.every((matches) => matches(labels));
};

const parseFailure = (why: string): SelectorError => new SelectorError(`unable to parse requirement: ${why}`);

const tokensOf = (text: string): string[] => {
  const tokens: string[] = [];
  const trimmed = text.trim();
  TOKEN.lastIndex = 0;
  while (TOKEN.lastIndex < trimmed.length) {
    const match = TOKEN.exec(trimmed);
    if (!match) break;
    tokens.push(match[1] ?? '');
  }
  return tokens;
};

const isIdentifier = (token: string): boolean => !/^(==|!=|[=!<>(),])$/.test(token);

const requirement = (tokens: string[]): LabelSelector => {
  const negated = tokens[0] === '!';
  if (negated) tokens.shift();
  const key = tokens.shift();
  if (key === undefined || !isIdentifier(key)) {
    throw parseFailure(`found '${key ?? ''}', expected: !, identifier, or 'end of string'`);
  }
  if (negated) return (labels) => labels[key] === undefined;
  const operator = tokens[0];
  switch (operator) {
    case undefined:
    case ',':
      return (labels) => labels[key] !== undefined;
    case '=':
    case '==':
    case '!=': {
      tokens.shift();
      const value = oneValue(tokens);
      return operator === '!=' ? (labels) => labels[key] !== value : (labels) => labels[key] === value;
    }
    case 'in':
    case 'notin': {
      tokens.shift();
      const values = valueSet(tokens);
      return operator === 'in'
        ? (labels) => values.has(labels[key] ?? '\u0000')
        : (labels) => !values.has(labels[key] ?? '\u0000');
    }
    case '<':
    case '>': {
      tokens.shift();
      const limit = Number(oneValue(tokens));
      return (labels) => (operator === '<' ? Number(labels[key]) < limit : Number(labels[key]) > limit);
    }
    default:
      throw parseFailure(`found '${operator}', expected: in, notin, =, ==, !=, gt, lt`);
  }
};

const oneValue = (tokens: string[]): string => {
  const value = tokens[0];
  if (value === undefined || value === ',') return '';
  if (!isIdentifier(value)) throw parseFailure(`found '${value}', expected: identifier`);
  tokens.shift();
  return value;
};

const valueSet = (tokens: string[]): ReadonlySet<string> => {
  const open = tokens.shift();
  if (open !== '(') throw parseFailure(`found '${open ?? ''}' expected: '('`);
  const values = new Set<string>();
  for (;;) {
    const token = tokens.shift();
    if (token === ')') return values;
    if (token === undefined) throw parseFailure("found '', expected: ',', or ')'");
    if (token === ',') continue;
    if (!isIdentifier(token)) throw parseFailure(`found '${token}', expected: ',', or identifier`);
    values.add(token);
  }
};
