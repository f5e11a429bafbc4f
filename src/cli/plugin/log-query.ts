import { UsageError } from '../exit-codes.ts';
import { parseDuration } from '../values/duration.ts';

/** Which part of a log, as kubectl's flags of the same names say it. */
export interface LogRange {
  readonly previous: boolean;
  /** So many of the last lines; `-1` is all. */
  readonly tail?: string;
  /** A duration as Go writes it; `0` is no limit. */
  readonly since?: string;
  /** A moment by RFC 3339. */
  readonly sinceTime?: string;
}

/**
 * The query of `/containerLogs` that asks for it, by the rules of `kubectl logs`: seconds are rounded, and of `--since` and
 * `--since-time` only one may be given. @throws {UsageError} that names the flag.
 */
export const logQuery = ({ previous, tail = '-1', since, sinceTime }: LogRange): URLSearchParams => {
  const query = new URLSearchParams();
  if (previous) query.set('previous', 'true');
  if (!/^(?:\d+|-1)$/.test(tail))
    throw new UsageError(`logs: --tail must be a number of lines, or -1 for all of them, not "${tail}"`);
  if (tail !== '-1') query.set('tailLines', tail);
  if (since !== undefined && sinceTime !== undefined)
    throw new UsageError('logs: give only one of --since and --since-time');
  if (since !== undefined) {
    const parsed = parseDuration(since);
    if (!parsed.ok) throw new UsageError(`logs: --since ${parsed.message}`);
    if (parsed.value > 0) query.set('sinceSeconds', String(Math.max(1, Math.round(parsed.value / 1_000))));
  }
  if (sinceTime !== undefined) query.set('sinceTime', sinceTime);
  return query;
};
