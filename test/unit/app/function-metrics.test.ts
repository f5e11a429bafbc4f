import { describe, expect, it } from 'vitest';
import { FUNCTION_METRICS, METRICS_NAMESPACE } from '../../../infra/deploy/metrics.ts';
import { createFunctionMetrics, type FunctionMetrics } from '../../../src/app/function-metrics.ts';
import type { Environment } from '../../../src/config/environment.ts';
import { lambdaHandler } from '../../../src/lambda/lambda-handler.ts';
import type { LaunchRequest } from '../../../src/model/launch.ts';
import { FakeClock } from '../../fakes/clock.ts';
import { FakeProvider } from '../../fakes/provider/fake-provider.ts';
import { RecordingLogger } from '../../support/recording-logger.ts';

const clock = new FakeClock();
const { signal } = new AbortController();
const settings = { deployment: 'dev' } as Environment<unknown>['settings'];
const CONTEXT = { getRemainingTimeInMillis: () => 30_000 } as never;

const metricsOf = (metrics: 'none' | 'emf', lines: string[]): FunctionMetrics =>
  createFunctionMetrics({ environment: { metrics, settings }, clock, write: (line) => void lines.push(line) });

/** An invocation that measures everything there is. */
const invoke = async (metrics: FunctionMetrics, fails: boolean): Promise<unknown> => {
  const provider = new FakeProvider(clock);
  const worker = metrics.counted({
    work: () => Promise.resolve([{ ok: true }, { ok: true }, { ok: false, error: new Error('x') }]),
  });
  const token = { podUid: 'u', attempt: 1, try: 1 };
  const body = JSON.stringify({ prepared: { podUid: 'u', containers: [] }, token });
  const handler = lambdaHandler(
    async () => {
      metrics.leaseSeen('fargate', 9.5);
      await worker.work([], signal);
      await metrics.launching(provider).launch({ token, body } as LaunchRequest, signal);
      if (fails) throw new Error('fails');
    },
    { clock, logger: new RecordingLogger(), middlewares: metrics.middlewares },
  );
  return handler({}, CONTEXT).catch(() => 'failed');
};

describe('figures of the functions', () => {
  it.each([false, true])('are in the log of an invocation, whether it fails (%s)', async (fails) => {
    const lines: string[] = [];
    expect(await invoke(metricsOf('emf', lines), fails)).toBe(fails ? 'failed' : undefined);
    const { leaseAge, syncs, launches } = FUNCTION_METRICS;
    expect(lines.map((line) => JSON.parse(line) as unknown)).toMatchObject([
      { _aws: { CloudWatchMetrics: [{ Namespace: METRICS_NAMESPACE }] }, node: 'fargate', [leaseAge]: 9.5 },
      { deployment: 'dev', result: syncs.results[0], [syncs.name]: 2 },
      { deployment: 'dev', result: syncs.results[1], [syncs.name]: 1 },
      { deployment: 'dev', result: launches.results[0], [launches.name]: 1 },
    ]);
  });

  it('are nowhere unless they are asked for', async () => {
    const lines: string[] = [];
    const metrics = metricsOf('none', lines);
    await invoke(metrics, false);
    expect(lines).toEqual([]);
    expect(metrics.middlewares).toEqual([]);
  });
});
