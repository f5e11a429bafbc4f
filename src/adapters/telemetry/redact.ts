import { SvkError } from '../../core/errors.ts';

const REDACTED = '[redacted]';

/** Deeper, longer or larger than any field of ours should be: a whole object was logged by mistake. */
const LIMITS = { depth: 6, items: 50, characters: 4096 } as const;

const SECRET_NAME =
  /pass(?:word|wd|phrase)|secret|token|authorization|cookie|credential|private.?key|client.?key|api.?key|signature|kubeconfig/i;

const SECRET_TEXT: readonly (readonly [RegExp, string])[] = [
  [/-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*PRIVATE KEY-----|$)/g, REDACTED],
  // A JSON web token; an EKS token (a presigned URL in base64); an access key.
  [/\beyJ[\w-]{8,}\.[\w-]+(?:\.[\w-]*)?/g, REDACTED],
  [/\bk8s-aws-v1\.[\w-]+/g, REDACTED],
  [/\b(?:AKIA|ASIA)[A-Z0-9]{16}\b/g, REDACTED],
  [/\b(Bearer|Basic)\s+[\w.~+/=-]+/gi, `$1 ${REDACTED}`],
  [/\b(X-Amz-(?:Signature|Security-Token|Credential)=)[^&\s"']+/gi, `$1${REDACTED}`],
  [/(\/admission\/)[^\s/?"']+/g, `$1${REDACTED}`],
];

/** A text without what looks like a token, a key, a signature or the webhook's secret path. */
export const redactText = (text: string): string => {
  const clean = SECRET_TEXT.reduce((rest, [pattern, replacement]) => rest.replaceAll(pattern, replacement), text);
  return clean.length <= LIMITS.characters
    ? clean
    : `${clean.slice(0, LIMITS.characters)}… (${clean.length} characters)`;
};

/**
 * A copy of `value` that may be logged: values under names of secrets are replaced, texts are cleaned, errors become
 * name, message, disposition and cause (and the stack of those that are not ours), and size is bounded.
 */
export const redact = (value: unknown): unknown => copy(value, LIMITS.depth, new Set());

/** {@link redact} for the fields of a log line. */
export const redactFields = (fields: Readonly<Record<string, unknown>>): Record<string, unknown> =>
  copyFields(fields, LIMITS.depth - 1, new Set([fields]));

const copy = (value: unknown, depth: number, above: ReadonlySet<object>): unknown => {
  if (typeof value === 'string') return redactText(value);
  if (typeof value === 'bigint') return value.toString();
  if (typeof value === 'function' || typeof value === 'symbol') return `[${typeof value}]`;
  if (typeof value !== 'object' || value === null) return value;
  if (depth === 0 || above.has(value)) return '[…]';
  const within = new Set(above).add(value);
  if (value instanceof Error) return copyError(value, depth, within);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? 'Invalid Date' : value.toISOString();
  if (ArrayBuffer.isView(value)) return `[${value.byteLength} bytes]`;
  if (value instanceof Map) return copy(Object.fromEntries(value), depth, above);
  if (Array.isArray(value) || value instanceof Set) {
    const items = [...(value as Iterable<unknown>)];
    const copies = items.slice(0, LIMITS.items).map((item) => copy(item, depth - 1, within));
    return items.length > LIMITS.items ? [...copies, `… (${items.length} items)`] : copies;
  }
  return copyFields(value, depth - 1, within);
};

const copyFields = (fields: object, depth: number, above: ReadonlySet<object>): Record<string, unknown> => {
  const entries: readonly [string, unknown][] = Object.entries(fields);
  const copies = entries
    .slice(0, LIMITS.items)
    .map(([name, item]): [string, unknown] => [
      name,
      SECRET_NAME.test(name) && isValue(item) ? REDACTED : copy(item, depth, above),
    ]);
  return Object.fromEntries(entries.length > LIMITS.items ? [...copies, ['…', `${entries.length} fields`]] : copies);
};

const copyError = (error: Error, depth: number, above: ReadonlySet<object>): unknown => ({
  name: error.name,
  message: redactText(error.message),
  ...(error instanceof SvkError
    ? { disposition: error.disposition }
    : typeof error.stack === 'string' && { stack: redactText(error.stack) }),
  ...(error instanceof AggregateError && { errors: copy(error.errors, depth - 1, above) }),
  ...(error.cause !== undefined && { cause: copy(error.cause, depth - 1, above) }),
});

// `token: undefined` or `secret: true` says something and gives nothing away.
const isValue = (item: unknown): boolean => item !== undefined && item !== null && typeof item !== 'boolean';
