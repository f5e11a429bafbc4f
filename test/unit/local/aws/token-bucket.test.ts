import { expect, it } from 'vitest';
import { TokenBucket } from '../../../../infra/local/aws/token-bucket.ts';

it('starts full, refills steadily and holds no more than its burst', () => {
  const bucket = new TokenBucket({ burst: 2, perSecond: 1 }, 0);
  const answers = [0, 0, 0, 500, 1000, 60_000, 60_000, 60_000].map((now) => bucket.take(now));
  expect(answers).toEqual([true, true, false, false, true, true, true, false]);
});

it('takes all tokens asked for or none', () => {
  const bucket = new TokenBucket({ burst: 10, perSecond: 20 }, 0);
  expect([bucket.take(0, 8), bucket.take(0, 3), bucket.take(0, 2), bucket.take(500, 10)]).toEqual([
    true,
    false,
    true,
    true,
  ]);
});
