import { type FieldError, forbidden, invalid, unsupported } from '../model/field-error.ts';
import { badRequest, internal, invalidOptions } from '../model/status.ts';

export type FieldValidation = 'Ignore' | 'Warn' | 'Strict';

/** Query parameters all writes share. */
export interface WriteOptions {
  readonly isDryRun: boolean;
  readonly fieldValidation: FieldValidation;
  readonly fieldManager: string;
  readonly isForced: boolean;
}

const VALIDATIONS = ['', 'Ignore', 'Strict', 'Warn'];

/** @throws {ApiError} 422 with the name of the option type (`CreateOptions` …). */
export const writeOptions = (query: URLSearchParams, kind: string): WriteOptions => {
  const dryRun = query.getAll('dryRun');
  const validation = query.get('fieldValidation') ?? '';
  const errors: FieldError[] = [];
  if (dryRun.some((value) => value !== 'All')) errors.push(unsupported('dryRun', dryRun, ['All']));
  if (!VALIDATIONS.includes(validation)) errors.push(unsupported('fieldValidation', validation, VALIDATIONS));
  if (errors.length > 0) throw invalidOptions(kind, errors);
  return {
    isDryRun: dryRun.length > 0,
    fieldValidation: validation === 'Strict' || validation === 'Ignore' ? validation : 'Warn',
    fieldManager: query.get('fieldManager') ?? '',
    isForced: isTrue(query.get('force')),
  };
};

export interface ListOptions {
  readonly labelSelector: string;
  readonly fieldSelector: string;
  readonly limit: number | undefined;
  readonly continueToken: string | undefined;
  readonly isWatch: boolean;
  readonly allowsBookmarks: boolean;
  readonly sendsInitialEvents: boolean;
  readonly timeoutSeconds: number | undefined;
  /** Undefined where none was sent. */
  readonly resourceVersion: number | undefined;
  /** The list must be of that very version. */
  readonly isExact: boolean;
}

/** @throws {ApiError} for combinations and values the real server refuses. */
export const listOptions = (query: URLSearchParams): ListOptions => {
  const isWatch = isTrue(query.get('watch'));
  const version = query.get('resourceVersion') || undefined;
  const match = query.get('resourceVersionMatch') || undefined;
  const sendsInitialEvents = query.has('sendInitialEvents') ? isTrue(query.get('sendInitialEvents')) : undefined;
  const errors: FieldError[] = [];
  if (sendsInitialEvents !== undefined && match !== 'NotOlderThan') {
    errors.push(
      forbidden('resourceVersionMatch', 'sendInitialEvents requires setting resourceVersionMatch to NotOlderThan'),
    );
  } else if (match !== undefined && !isWatch && version === undefined) {
    errors.push(
      forbidden('resourceVersionMatch', 'resourceVersionMatch is forbidden unless resourceVersion is provided'),
    );
  } else if (match !== undefined && match !== 'Exact' && match !== 'NotOlderThan') {
    errors.push(unsupported('resourceVersionMatch', match, ['Exact', 'NotOlderThan', '']));
  }
  if (sendsInitialEvents !== undefined && !isWatch) {
    errors.push(forbidden('sendInitialEvents', 'sendInitialEvents is forbidden for list'));
  }
  if (errors.length > 0) throw invalidOptions('ListOptions', errors);
  return {
    labelSelector: query.get('labelSelector') ?? '',
    fieldSelector: query.get('fieldSelector') ?? '',
    limit: integerOption(query, 'limit') || undefined,
    continueToken: query.get('continue') || undefined,
    isWatch,
    allowsBookmarks: isTrue(query.get('allowWatchBookmarks')),
    sendsInitialEvents: sendsInitialEvents ?? false,
    timeoutSeconds: integerOption(query, 'timeoutSeconds'),
    resourceVersion: version === undefined ? undefined : parseVersion(version, isWatch),
    isExact: match === 'Exact',
  };
};

const parseVersion = (version: string, isWatch: boolean): number => {
  if (/^\d+$/.test(version)) return Number(version);
  const fault = `resourceVersion: ${invalid('', version, `strconv.ParseUint: parsing "${version}": invalid syntax`).message}`;
  throw isWatch ? internal(fault) : badRequest(`invalid resource version: ${fault}`);
};

/** An integer from the query; undefined where there is none. @throws {ApiError} 400 in Go's words. */
export const integerOption = (query: URLSearchParams, name: string): number | undefined => {
  const value = query.get(name);
  if (value === null || value === '') return undefined;
  if (!/^[+-]?\d+$/.test(value)) throw badRequest(`strconv.ParseInt: parsing "${value}": invalid syntax`);
  return Number(value);
};

/** Go's ParseBool, as query parameters are read: anything unreadable counts as true only for `1`, `t`, `true`. */
export const isTrue = (value: string | null): boolean =>
  value !== null && ['1', 't', 'T', 'true', 'TRUE', 'True'].includes(value);
