import type { Problem } from '../model/problem.ts';

/** What we need of one of zod's issues. */
export interface Issue {
  readonly code?: string | undefined;
  readonly path: readonly PropertyKey[];
  readonly message: string;
  readonly expected?: unknown;
  readonly input?: unknown;
  readonly keys?: readonly string[];
  readonly values?: readonly unknown[];
}

/**
 * zod's issues as faults a reader can mend, one for each unknown key. `zod/mini` carries no texts of its own: a check that
 * should be told otherwise than by its kind gives its message.
 */
export const faultsOf = (issues: readonly Issue[]): readonly Problem[] =>
  issues.flatMap((issue) =>
    issue.code === 'unrecognized_keys'
      ? (issue.keys ?? []).map((key) => ({ field: fieldOf([...issue.path, key]), message: 'is not known: remove it' }))
      : [{ field: fieldOf(issue.path), message: messageOf(issue) }],
  );

/** A path as it is written: `nodes[0].capacity.cpu`. */
export const fieldOf = (path: readonly PropertyKey[]): string =>
  path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`;
    return text === '' ? String(part) : `${text}.${String(part)}`;
  }, '') || 'the settings';

/** Every fault on a line of its own, below a first line that says how many and where. */
export const faultsText = (source: string, faults: readonly Problem[]): string =>
  [
    `${source} ${faults.length === 1 ? 'has 1 fault' : `has ${faults.length} faults`}:`,
    ...faults.map(({ field, message }) => `  ${field}: ${message}`),
  ].join('\n');

const messageOf = ({ code, expected, values, message }: Issue): string => {
  if (code === 'invalid_type') return `must be ${article(String(expected))}`;
  if (code === 'invalid_value' && values) return `must be ${values.map(String).join(' or ')}`;
  return message === 'Invalid input' ? 'is not as expected' : message;
};

const article = (type: string): string => {
  if (type === 'record' || type === 'object') return 'a map of keys and values';
  if (type === 'array') return 'a list';
  if (type === 'boolean') return 'true or false';
  if (type === 'nonoptional') return 'given: it is missing';
  if (type === 'int') return 'a whole number';
  return `a ${type}`;
};
