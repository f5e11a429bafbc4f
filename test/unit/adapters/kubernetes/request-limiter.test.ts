import { expect, it } from 'vitest';
import { requestLimiter } from '../../../../src/adapters/kubernetes/request-limiter.ts';
import { FakeClock } from '../../../fakes/clock.ts';

const SIGNAL = new AbortController().signal;

it('lets a burst pass, then so many a second', async () => {
  const clock = new FakeClock(0);
  const limiter = requestLimiter({ qps: 5, burst: 10 }, clock);
  const passed: number[] = [];
  for (let request = 0; request < 15; request += 1)
    void limiter('/api/v1/pods', SIGNAL).then(() => passed.push(clock.now()));
  await clock.advance(10_000);
  expect(passed).toEqual([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 200, 400, 600, 800, 1_000]);
});

it('saves up no more than the burst', async () => {
  const clock = new FakeClock(0);
  const limiter = requestLimiter({ qps: 10, burst: 2 }, clock);
  await clock.advance(60_000);
  const passed: number[] = [];
  for (let request = 0; request < 4; request += 1)
    void limiter('/api/v1/pods', SIGNAL).then(() => passed.push(clock.now() - 60_000));
  await clock.advance(1_000);
  expect(passed).toEqual([0, 0, 100, 200]);
});

it.each([
  '/api/v1/nodes/n/status',
  '/api/v1/nodes',
  '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/n',
])('never holds up %s', async (path) => {
  const limiter = requestLimiter({ qps: 1, burst: 1 }, new FakeClock(0));
  await limiter('/api/v1/pods', SIGNAL);
  await limiter(path, SIGNAL);
});

it('lets go of those who give up', async () => {
  const limiter = requestLimiter({ qps: 1, burst: 1 }, new FakeClock(0));
  await limiter('/api/v1/pods', SIGNAL);
  await expect(limiter('/api/v1/pods', AbortSignal.abort(new Error('given up')))).rejects.toThrow('given up');
});
