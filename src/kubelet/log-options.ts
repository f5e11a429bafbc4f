import type { LogQuery } from '../model/log-query.ts';

/** What a caller may ask of a log. `previous` chooses the run; the rest goes to the provider as it is. */
export type LogOptions = Omit<LogQuery, 'workloadId' | 'container'> & { readonly previous: boolean };

export type ParsedLogOptions =
  | { readonly ok: true; readonly options: LogOptions }
  | { readonly ok: false; readonly problems: readonly string[] };

/**
 * Reads PodLogOptions from a query and checks them by the API server's rules (ValidatePodLogOptions), all faults at once.
 * An empty value counts as left out, booleans have Go's ParseBool forms, `tail` is kubelet's old name of `tailLines`;
 * unknown parameters are ignored. `now` in milliseconds since the epoch turns `sinceSeconds` into a time.
 */
export const parseLogOptions = (query: URLSearchParams, now: number): ParsedLogOptions => {
  const problems: string[] = [];
  const read = <T>(name: string, parse: (value: string) => T | string): T | undefined => {
    const value = query.get(name);
    if (value === null || value === '') return undefined;
    const parsed = parse(value);
    if (typeof parsed !== 'string') return parsed;
    problems.push(`${name}: Invalid value: ${JSON.stringify(value)}: ${parsed}`);
    return undefined;
  };
  const flag = (name: string): boolean => read(name, parseBool) ?? false;

  const tailLines = query.get('tail') === 'all' ? undefined : read(query.get('tail') ? 'tail' : 'tailLines', parseTail);
  const limitBytes = read('limitBytes', parsePositive);
  const sinceSeconds = read('sinceSeconds', parsePositive);
  const since = read('sinceTime', parseTime);
  if (query.get('sinceSeconds') && query.get('sinceTime')) {
    problems.push('Forbidden: at most one of `sinceTime` or `sinceSeconds` may be specified');
  }
  const options = {
    follow: flag('follow'),
    previous: flag('previous'),
    timestamps: flag('timestamps'),
    ...(tailLines === undefined ? {} : { tailLines }),
    ...(limitBytes === undefined ? {} : { limitBytes }),
    ...(sinceSeconds === undefined ? {} : { sinceTime: secondsBefore(now, sinceSeconds) }),
    ...(since === undefined ? {} : { sinceTime: since.time }),
  };
  return problems.length === 0 ? { ok: true, options } : { ok: false, problems };
};

const TRUE = ['1', 't', 'T', 'TRUE', 'true', 'True'];
const FALSE = ['0', 'f', 'F', 'FALSE', 'false', 'False'];

const parseBool = (value: string): boolean | string =>
  TRUE.includes(value) || (FALSE.includes(value) ? false : 'must be true or false');

const parseTail = (value: string): number | string => {
  const number = parseInteger(value);
  return typeof number === 'number' && number < 0 ? 'must be greater than or equal to 0' : number;
};

const parsePositive = (value: string): number | string => {
  const number = parseInteger(value);
  return typeof number === 'number' && number < 1 ? 'must be greater than 0' : number;
};

const LARGEST = 2n ** 63n - 1n;

const parseInteger = (value: string): number | string => {
  if (!/^[+-]?\d{1,30}$/.test(value)) return 'must be an integer';
  const number = BigInt(value.replace(/^\+/, ''));
  return number > LARGEST || number < -LARGEST - 1n ? 'must be a 64-bit integer' : Number(number);
};

const RFC3339 = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:[.,](\d+))?(Z|[+-]\d{2}:\d{2})$/;

/** In UTC, with the fraction to the nanosecond where there is one. Wrapped, because a text is a fault here. */
const parseTime = (value: string): { readonly time: string } | string => {
  const [, seconds = '', fraction = '', zone = ''] = RFC3339.exec(value) ?? [];
  const ms = Date.parse(`${seconds}${zone}`);
  if (Number.isNaN(ms) || !isRealDate(seconds)) {
    return 'must be a time in RFC 3339 format, such as 2006-01-02T15:04:05Z';
  }
  const digits = fraction.slice(0, 9).replace(/0+$/, '');
  return { time: `${isoSeconds(ms)}${digits === '' ? '' : `.${digits}`}Z` };
};

// Date.parse lets 30 February pass as 2 March; Go does not.
const isRealDate = (seconds: string): boolean => isoSeconds(Date.parse(`${seconds}Z`)) === seconds;

const isoSeconds = (ms: number): string => (Number.isNaN(ms) ? '' : new Date(ms).toISOString().slice(0, 19));

const secondsBefore = (now: number, seconds: number): string =>
  new Date(Math.max(0, now - seconds * 1000)).toISOString();
