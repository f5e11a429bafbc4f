import { expect, it } from 'vitest';
import { withDeadline } from '../../../src/core/deadline.ts';
import { TransientError } from '../../../src/core/errors.ts';
import { microTime, wholeSecondTime } from '../../../src/core/micro-time.ts';
import { FakeClock } from '../../fakes/clock.ts';

const { signal } = new AbortController();
const never = (): Promise<never> => new Promise(() => undefined);

it('passes results and errors through', async () => {
  const clock = new FakeClock();
  expect(await withDeadline(clock, { ms: 1_000, what: 'x', signal }, async () => 7)).toBe(7);
  const failing = withDeadline(clock, { ms: 1_000, what: 'x', signal }, async () => {
    throw new Error('boom');
  });
  await expect(failing).rejects.toThrow('boom');
});

it('ends what takes no notice, and aborts the signal it gave', async () => {
  const clock = new FakeClock();
  let given: AbortSignal | undefined;
  const waiting = withDeadline(clock, { ms: 9_000, what: 'lease of node a', signal }, (limit) => {
    given = limit;
    return never();
  });
  const outcome = waiting.catch((error: unknown) => error);
  await clock.advance(8_999);
  expect(given?.aborted).toBe(false);
  await clock.advance(1);
  expect(await outcome).toEqual(new TransientError('lease of node a: no answer within 9 s'));
  expect(given?.aborted).toBe(true);
});

it('ends with the caller, for the caller’s reason', async () => {
  const caller = new AbortController();
  let given: AbortSignal | undefined;
  const waiting = withDeadline(new FakeClock(), { ms: 9_000, what: 'x', signal: caller.signal }, (limit) => {
    given = limit;
    return never();
  });
  const reason = new Error('enough');
  caller.abort(reason);
  await expect(waiting).rejects.toBe(reason);
  expect(given?.reason).toBe(reason);
  await expect(withDeadline(new FakeClock(), { ms: 1, what: 'x', signal: caller.signal }, never)).rejects.toBe(reason);
});

it('does not abort the signal once all is done', async () => {
  const clock = new FakeClock();
  let given: AbortSignal | undefined;
  await withDeadline(clock, { ms: 1_000, what: 'x', signal }, async (limit) => {
    given = limit;
  });
  await clock.advance(5_000);
  expect(given?.aborted).toBe(false);
});

it('prints six fractional digits for MicroTime and none for Time', () => {
  const at = Date.parse('2030-01-01T00:00:00.123Z');
  expect(microTime(at)).toBe('2030-01-01T00:00:00.123000Z');
  expect(microTime(at - 123)).toBe('2030-01-01T00:00:00.000000Z');
  expect(wholeSecondTime(at)).toBe('2030-01-01T00:00:00Z');
});
