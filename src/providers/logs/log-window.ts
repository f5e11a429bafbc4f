import { InvalidError } from '../../core/errors.ts';

const RFC3339 = /^(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(\d{1,9}))?(Z|[+-]\d\d:\d\d)$/i;

/**
 * The first millisecond whose lines are not older than `sinceTime`. Lines carry
 * whole milliseconds, so that a finer `sinceTime` leaves out the millisecond it falls into.
 * @throws {InvalidError} where it is not RFC 3339.
 */
export const firstMillisecond = (sinceTime: string): number => {
  const [, seconds, fraction = '', zone] = RFC3339.exec(sinceTime) ?? [];
  const second = Date.parse(`${seconds}${zone}`);
  if (seconds === undefined || Number.isNaN(second))
    throw new InvalidError(`sinceTime: "${sinceTime}" is not RFC 3339`);
  return second + Math.ceil(Number(fraction.padEnd(9, '0')) / 1_000_000);
};
