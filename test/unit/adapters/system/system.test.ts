import { expect, it } from 'vitest';
import { SystemClock } from '../../../../src/adapters/system/system-clock.ts';
import { SystemRandom } from '../../../../src/adapters/system/system-random.ts';

it('tells the time and sleeps', async () => {
  const clock = new SystemClock();
  const before = Date.now();
  await clock.sleep(20);
  expect(clock.now() - before).toBeGreaterThanOrEqual(19);
});

it('is woken by its signal, with its reason', async () => {
  const caller = new AbortController();
  const reason = new Error('enough');
  const sleeping = new SystemClock().sleep(60_000, caller.signal);
  caller.abort(reason);
  await expect(sleeping).rejects.toBe(reason);
  await expect(new SystemClock().sleep(60_000, caller.signal)).rejects.toBe(reason);
});

it.each([
  { want: 'as long as timers can', ms: 2 ** 31 - 1 },
  { want: 'longer than timers can', ms: 2 ** 31 },
  { want: 'years', ms: 1e12 },
  { want: 'for ever', ms: Number.POSITIVE_INFINITY },
])('sleeps $want, until it is woken', async ({ ms }) => {
  const caller = new AbortController();
  const sleeping = new SystemClock().sleep(ms, caller.signal).then(
    () => 'slept',
    () => 'woken',
  );
  expect(await Promise.race([sleeping, new SystemClock().sleep(20).then(() => 'sleeps')])).toBe('sleeps');
  caller.abort(new Error('enough'));
  expect(await sleeping).toBe('woken');
});

it('draws numbers from 0 to 1 and UUIDs', () => {
  const random = new SystemRandom();
  const numbers = Array.from({ length: 100 }, () => random.next());
  expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true);
  expect(new Set(numbers).size).toBeGreaterThan(90);
  expect(random.uuid()).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
});
