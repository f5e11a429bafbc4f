import { given, type Parsed, refused } from './value.ts';

const UNITS: Readonly<Record<string, number>> = {
  ns: 1e-6,
  us: 1e-3,
  µs: 1e-3,
  μs: 1e-3,
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
};

const WHOLE = /^\+?(?:(?:\d+\.?\d*|\.\d+)(?:ns|us|µs|μs|ms|s|m|h))+$/;
const PART = /(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g;

/** A duration as Go writes it (`1m30s`, `500ms`, `0`), in milliseconds. Negative ones make no sense anywhere here. */
export const parseDuration = (text: string): Parsed<number> => {
  if (/^\+?0$/.test(text)) return given(0);
  if (!WHOLE.test(text)) return refused(`must be a duration such as 1m30s, 500ms or 0, not "${text}"`);
  const ms = [...text.matchAll(PART)].reduce(
    (sum, [, amount = '0', unit = 's']) => sum + Number(amount) * (UNITS[unit] ?? 0),
    0,
  );
  return given(ms);
};

/** A duration that is not 0, for what could not be done in no time. */
export const parseTimeout = (text: string): Parsed<number> => {
  const parsed = parseDuration(text);
  return parsed.ok && parsed.value === 0 ? refused(`must be longer than 0, such as 30s, not "${text}"`) : parsed;
};
