import { expect, it } from 'vitest';
import { Timers } from '../../../../infra/local/aws/timers.ts';
import { FakeClock } from '../../../fakes/clock.ts';

it('acts in time, and not at all once it is closed', async () => {
  const clock = new FakeClock();
  const timers = new Timers(clock);
  const seen: string[] = [];
  timers.after(1000, () => void seen.push('one second'));
  timers.after(0, () => void seen.push('at once'));
  timers.after(5000, () => void seen.push('too late'));
  await clock.advance(2000);
  const waiting = timers.sleep(60_000);
  timers.close();
  await expect(waiting).rejects.toThrow('the emulator closes');
  await expect(timers.sleep(1)).rejects.toThrow('the emulator closes');
  timers.after(0, () => void seen.push('after the end'));
  await clock.advance(60_000);
  expect(seen).toEqual(['at once', 'one second']);
});
