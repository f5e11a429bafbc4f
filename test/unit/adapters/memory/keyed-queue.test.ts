import { describe, expect, it } from 'vitest';
import { KeyedQueue } from '../../../../src/adapters/memory/keyed-queue.ts';
import { FakeClock } from '../../../fakes/clock.ts';

const SIGNAL = new AbortController().signal;

const world = () => {
  const clock = new FakeClock(0);
  const queue = new KeyedQueue<string>({ clock, merge: (waiting, added) => `${waiting}+${added}` });
  const takeAll = (): string[] => {
    const all: string[] = [];
    for (let taken = queue.tryTake(); taken; taken = queue.tryTake()) all.push(`${taken.key} ${taken.item}`);
    return all;
  };
  return { clock, queue, takeAll };
};

describe('a queue by key', () => {
  it('gives keys in the order they came, one entry for each', () => {
    const { queue, takeAll } = world();
    queue.add('a', '1');
    queue.add('b', '2');
    queue.add('a', '3');
    expect(queue.length).toBe(2);
    expect(takeAll()).toEqual(['a 1+3', 'b 2']);
    expect(queue.inProgress).toBe(2);
  });

  it('never gives a key twice at once, and runs it again for what came meanwhile', () => {
    const { queue, takeAll } = world();
    queue.add('a', '1');
    expect(takeAll()).toEqual(['a 1']);
    queue.add('a', '2');
    queue.add('a', '3');
    expect(takeAll()).toEqual([]);
    queue.done('a');
    expect(takeAll()).toEqual(['a 2+3']);
    queue.done('a');
    expect(takeAll()).toEqual([]);
    expect(queue.inProgress).toBe(0);
  });

  it('holds back for the delay', async () => {
    const { clock, queue, takeAll } = world();
    queue.add('a', '1', 1_000);
    await clock.advance(999);
    expect(takeAll()).toEqual([]);
    await clock.advance(1);
    expect(takeAll()).toEqual(['a 1']);
  });

  it('moves what waits ahead only', async () => {
    const { clock, queue, takeAll } = world();
    queue.add('a', '1', 1_000);
    queue.add('a', '2', 5_000);
    await clock.advance(1_000);
    expect(takeAll()).toEqual(['a 1+2']);
    queue.done('a');
    queue.add('a', '3', 1_000);
    queue.add('a', '4');
    expect(takeAll()).toEqual(['a 3+4']);
    queue.done('a');
    await clock.advance(5_000);
    expect(takeAll()).toEqual([]);
  });

  it('says how long work had been due', async () => {
    const { clock, queue } = world();
    queue.add('a', '1');
    await clock.advance(40);
    expect(queue.tryTake()).toEqual({ key: 'a', item: '1', waitedMs: 40 });
  });
});

describe('failures', () => {
  it('wait longer each time, for one key alone, for ever', async () => {
    const { clock, queue, takeAll } = world();
    const waits: number[] = [];
    queue.add('a', 'x');
    takeAll();
    for (let failures = 1; failures <= 20; failures += 1) {
      queue.failed('a', 'x');
      const begin = clock.now();
      queue.add('b', 'y');
      expect(takeAll()).toEqual(['b y']);
      queue.done('b');
      while (takeAll().length === 0) await clock.advance(failures < 12 ? 1 : 1_000);
      waits.push(clock.now() - begin);
    }
    expect(waits.slice(0, 6)).toEqual([5, 10, 20, 40, 80, 160]);
    expect(waits.slice(-3)).toEqual([656_000, 1_000_000, 1_000_000]);
  });

  it('are forgotten once the work is done', async () => {
    const { clock, queue, takeAll } = world();
    queue.add('a', 'x');
    for (let failures = 0; failures < 5; failures += 1) {
      takeAll();
      queue.failed('a', 'x');
      await clock.advance(1_000);
    }
    takeAll();
    queue.done('a');
    queue.add('a', 'x');
    takeAll();
    queue.failed('a', 'x');
    await clock.advance(5);
    expect(takeAll()).toEqual(['a x']);
  });

  it('are cut short by news', () => {
    const { queue, takeAll } = world();
    queue.add('a', 'x');
    takeAll();
    queue.failed('a', 'x');
    queue.add('a', 'news');
    expect(takeAll()).toEqual(['a x+news']);
  });

  it('do not hold up what came while the work went wrong', () => {
    const { queue, takeAll } = world();
    queue.add('a', 'x');
    takeAll();
    queue.add('a', 'news');
    queue.failed('a', 'x');
    expect(takeAll()).toEqual(['a x+news']);
  });
});

describe('those who take', () => {
  it('wait for work, first come first served', async () => {
    const { clock, queue } = world();
    const taken: string[] = [];
    for (const who of ['first', 'second']) void queue.take(SIGNAL).then(({ key }) => void taken.push(`${who} ${key}`));
    queue.add('a', '1');
    queue.add('b', '2', 10);
    await clock.advance(10);
    expect(taken).toEqual(['first a', 'second b']);
  });

  it('give up with the signal, and then take nothing away', async () => {
    const { queue, takeAll } = world();
    const end = new AbortController();
    const taking = queue.take(end.signal);
    end.abort(new Error('enough'));
    await expect(taking).rejects.toThrow('enough');
    await expect(queue.take(AbortSignal.abort(new Error('too late')))).rejects.toThrow('too late');
    queue.add('a', '1');
    expect(takeAll()).toEqual(['a 1']);
  });

  it('carry no wait over from an earlier burst', async () => {
    const { clock, queue, takeAll } = world();
    for (let pod = 0; pod < 5_000; pod += 1) queue.add(`pod-${pod}`, 'x');
    for (const entry of takeAll()) queue.done(entry.split(' ')[0] ?? '');
    queue.add('next', 'x');
    expect(queue.tryTake()).toEqual({ key: 'next', item: 'x', waitedMs: 0 });
    expect(clock.now()).toBe(0);
  });
});

it('gives nothing more once stopped, but lets work be finished', async () => {
  const { clock, queue, takeAll } = world();
  queue.add('busy', '1');
  queue.tryTake();
  queue.add('ready', '2');
  queue.add('delayed', '3', 10);
  queue.stop();
  await clock.advance(100);
  expect(takeAll()).toEqual([]);
  queue.done('busy');
  expect(queue.inProgress).toBe(0);
});
