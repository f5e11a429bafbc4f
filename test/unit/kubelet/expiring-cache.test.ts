import { describe, expect, it } from 'vitest';
import { ExpiringCache } from '../../../src/kubelet/expiring-cache.ts';
import { FakeClock } from '../../fakes/clock.ts';

describe('expiring cache', () => {
  it('forgets an answer when its time is over', async () => {
    const clock = new FakeClock();
    const cache = new ExpiringCache<string | undefined>(clock, 10);
    cache.set('a', undefined, 1_000);

    await clock.advance(999);
    expect(cache.get('a')).toMatchObject({ value: undefined });
    await clock.advance(1);
    expect(cache.get('a')).toBeUndefined();
    expect(cache.size).toBe(0);
  });

  it('holds no more than its capacity and lets go of what was used longest ago', () => {
    const cache = new ExpiringCache<number>(new FakeClock(), 2);
    cache.set('a', 1, 1_000);
    cache.set('b', 2, 1_000);
    cache.get('a');
    cache.set('c', 3, 1_000);

    expect(cache.size).toBe(2);
    expect(cache.get('a')?.value).toBe(1);
    expect(cache.get('b')).toBeUndefined();
    expect(cache.get('c')?.value).toBe(3);
  });
});
