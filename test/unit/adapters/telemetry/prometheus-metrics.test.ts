import { describe, expect, it } from 'vitest';
import { PrometheusMetrics } from '../../../../src/adapters/telemetry/prometheus-metrics.ts';
import { FakeClock } from '../../../fakes/clock.ts';

const linesOf = async (metrics: PrometheusMetrics, name: string): Promise<readonly string[]> =>
  (await metrics.expose()).text.split('\n').filter((line) => line.includes(name));

describe('figures for Prometheus', () => {
  it('are text of version 0.0.4', async () => {
    const { contentType } = await new PrometheusMetrics(new FakeClock()).expose();
    expect(contentType).toBe('text/plain; version=0.0.4; charset=utf-8');
  });

  it('a counter grows by one, or by what it is told', async () => {
    const metrics = new PrometheusMetrics(new FakeClock());
    const counter = metrics.counter({ name: 'a_total', help: 'As.', labels: ['kind'] });
    counter.add({ kind: 'x' });
    counter.add({ kind: 'x' }, 4);
    counter.add({ kind: 'y' });
    expect(await linesOf(metrics, 'a_total')).toEqual([
      '# HELP a_total As.',
      '# TYPE a_total counter',
      'a_total{kind="x"} 5',
      'a_total{kind="y"} 1',
    ]);
  });

  it('a gauge is what it was set to, or what is read when somebody asks', async () => {
    const metrics = new PrometheusMetrics(new FakeClock());
    let depth = 3;
    metrics.gauge({ name: 'set', help: 'Set.' }).set({}, 7);
    metrics.gauge({ name: 'depth', help: 'Read.', labels: ['name'] }).read({ name: 'pods' }, () => depth);
    expect(await linesOf(metrics, 'depth{')).toEqual(['depth{name="pods"} 3']);
    depth = 0;
    expect(await linesOf(metrics, 'depth{')).toEqual(['depth{name="pods"} 0']);
    expect(await linesOf(metrics, 'set 7')).toEqual(['set 7']);
  });

  it('a gauge whose value nobody knows has no sample', async () => {
    const metrics = new PrometheusMetrics(new FakeClock());
    let age = Number.NaN;
    metrics.gauge({ name: 'age_seconds', help: 'Age.' }).read({}, () => age);
    const samples = async (): Promise<readonly string[]> =>
      (await linesOf(metrics, 'age_seconds')).filter((line) => !line.startsWith('#'));
    expect(await samples()).toEqual([]);
    age = 4;
    expect(await samples()).toEqual(['age_seconds 4']);
    age = Number.NaN;
    expect(await samples()).toEqual([]);
  });

  it('a histogram counts by upper bound', async () => {
    const metrics = new PrometheusMetrics(new FakeClock());
    const histogram = metrics.histogram({ name: 'took_seconds', help: 'Took.', labels: ['result'], buckets: [0.1, 1] });
    histogram.observe({ result: 'success' }, 0.05);
    histogram.observe({ result: 'success' }, 0.5);
    histogram.observe({ result: 'success' }, 2);
    expect((await linesOf(metrics, 'took_seconds_')).toSorted()).toEqual([
      'took_seconds_bucket{le="+Inf",result="success"} 3',
      'took_seconds_bucket{le="0.1",result="success"} 1',
      'took_seconds_bucket{le="1",result="success"} 2',
      'took_seconds_count{result="success"} 3',
      'took_seconds_sum{result="success"} 2.55',
    ]);
  });

  it('asked for twice is the same instrument; as another kind it is refused', () => {
    const metrics = new PrometheusMetrics(new FakeClock());
    const definition = { name: 'twice_total', help: 'Twice.' };
    expect(metrics.counter(definition)).toBe(metrics.counter(definition));
    expect(() => metrics.gauge(definition)).toThrow('twice_total is registered as another kind of metric');
  });

  it('tells of the process: CPU that only grows, memory, start', async () => {
    const clock = new FakeClock();
    const metrics = new PrometheusMetrics(clock);
    const value = async (name: string): Promise<number> =>
      Number((await linesOf(metrics, `${name} `)).at(-1)?.split(' ')[1]);
    const before = await value('process_cpu_seconds_total');
    expect(before).toBeGreaterThan(0);
    expect(await value('process_cpu_seconds_total')).toBeGreaterThanOrEqual(before);
    expect(await value('process_resident_memory_bytes')).toBeGreaterThan(10_000_000);
    expect(clock.now() / 1_000 - (await value('process_start_time_seconds'))).toBeCloseTo(process.uptime(), -1);
  });
});
