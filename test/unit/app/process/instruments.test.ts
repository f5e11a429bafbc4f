import { describe, expect, it } from 'vitest';
import { createInstruments } from '../../../../src/app/process/instruments.ts';
import { measuredProvider } from '../../../../src/app/process/measured-provider.ts';
import { TransientError } from '../../../../src/core/errors.ts';
import type { MetricsRegistry } from '../../../../src/ports/metrics.ts';
import { FakeClock } from '../../../fakes/clock.ts';
import { FakeProvider } from '../../../fakes/provider/fake-provider.ts';

const { signal } = new AbortController();

/** Writes down what is measured; gauges are read when asked. */
const registry = () => {
  const measured: string[] = [];
  const gauges = new Map<string, () => number>();
  const metrics: MetricsRegistry = {
    counter: ({ name }) => ({ add: (labels, by = 1) => void measured.push(`${name} ${JSON.stringify(labels)} ${by}`) }),
    gauge: ({ name }) => ({
      set: (_, value) => void gauges.set(name, () => value),
      read: (_, value) => void gauges.set(name, value),
    }),
    histogram: ({ name }) => ({
      observe: (labels, value) => void measured.push(`${name} ${JSON.stringify(labels)} ${value}`),
    }),
  };
  return { measured, gauge: (name: string) => gauges.get(name)?.(), metrics };
};

describe('figures', () => {
  it('of the queue, the reconciles and the lease', async () => {
    const clock = new FakeClock(0);
    const { measured, gauge, metrics } = registry();
    const instruments = createInstruments(metrics, clock);
    instruments.queueDepth(() => 3);
    instruments.syncsInProgress(() => 2);
    instruments.queueWait(0.5);
    instruments.sync('error', 1.5);
    expect(gauge('svk_node_lease_age_seconds')).toBeNaN();
    instruments.leaseRenewed(clock.now());
    await clock.advance(7_000);
    expect([gauge('workqueue_depth'), gauge('workqueue_in_progress'), gauge('svk_node_lease_age_seconds')]).toEqual([
      3, 2, 7,
    ]);
    expect(measured).toEqual([
      'workqueue_queue_duration_seconds {"name":"pods"} 0.5',
      'svk_pod_sync_duration_seconds {"result":"error"} 1.5',
    ]);
  });

  it('of every call of the provider, and of nothing that is none', async () => {
    const clock = new FakeClock(0);
    const { measured, metrics } = registry();
    const fake = new FakeProvider(clock);
    const provider = measuredProvider(fake, { instruments: createInstruments(metrics, clock), clock });
    await provider.ping(signal);
    fake.faults.failNext('describe', new TransientError('no answer'));
    await expect(provider.describe(['x'], signal)).rejects.toThrow('no answer');
    expect(provider.observationOf('nothing')).toBeUndefined();
    expect(provider.name).toBe('fake');
    for await (const _ of provider.list({ stopped: true }, signal)) expect.unreachable();
    expect(measured).toEqual([
      'svk_provider_call_duration_seconds {"method":"ping","result":"success"} 0',
      'svk_provider_call_duration_seconds {"method":"describe","result":"error"} 0',
    ]);
  });

  it('leave a provider without what it does not have', () => {
    const clock = new FakeClock(0);
    const provider = measuredProvider(new FakeProvider(clock), {
      instruments: createInstruments(registry().metrics, clock),
      clock,
    });
    expect([provider.watch, provider.stats, provider.allocatable]).toEqual([undefined, undefined, undefined]);
  });
});
