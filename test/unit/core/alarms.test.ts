import { expect, it } from 'vitest';
import { Alarms } from '../../../src/core/alarms.ts';
import { FakeClock } from '../../fakes/clock.ts';

const world = () => {
  const clock = new FakeClock(0);
  const rung: string[] = [];
  const alarms = new Alarms<string>(clock, (key, value) => void rung.push(`${clock.now()} ${key} ${value}`));
  return { clock, rung, alarms };
};

it('rings each at its time, whatever the order they were set in', async () => {
  const { clock, rung, alarms } = world();
  alarms.set('late', 300, 'c');
  alarms.set('early', 100, 'a');
  alarms.set('middle', 200, 'b');
  await clock.advance(250);
  expect(rung).toEqual(['100 early a', '200 middle b']);
  expect(alarms.size).toBe(1);
});

it('replaces the time and the value of a key', async () => {
  const { clock, rung, alarms } = world();
  alarms.set('pod', 100, 'first');
  alarms.set('pod', 200, 'second');
  await clock.advance(500);
  expect(rung).toEqual(['200 pod second']);
});

it('rings once for a time that has passed, but not within the call', async () => {
  const { clock, rung, alarms } = world();
  alarms.set('pod', -5, 'now');
  expect(rung).toEqual([]);
  await clock.advance(0);
  expect(rung).toEqual(['0 pod now']);
  await clock.advance(1_000);
  expect(rung).toHaveLength(1);
});

it('does not ring what was cleared, nor anything once stopped', async () => {
  const { clock, rung, alarms } = world();
  alarms.set('cleared', 100, '');
  alarms.set('stopped', 200, '');
  expect(alarms.clear('cleared')).toBe(true);
  expect(alarms.clear('cleared')).toBe(false);
  await clock.advance(150);
  alarms.stop();
  await clock.advance(150);
  expect(rung).toEqual([]);
});

it('lets a ring set the next one', async () => {
  const clock = new FakeClock(0);
  const rung: number[] = [];
  const alarms: Alarms<number> = new Alarms(clock, (key, count) => {
    rung.push(clock.now());
    if (count > 1) alarms.set(key, clock.now() + 10, count - 1);
  });
  alarms.set('tick', 10, 3);
  await clock.advance(100);
  expect(rung).toEqual([10, 20, 30]);
});
