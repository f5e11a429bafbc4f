import { beforeEach, describe, expect, it } from 'vitest';
import { EmfMetrics } from '../../../../src/adapters/telemetry/emf-metrics.ts';
import { FakeClock } from '../../../fakes/clock.ts';

let lines: string[];
let metrics: EmfMetrics;

beforeEach(() => {
  lines = [];
  metrics = new EmfMetrics({
    namespace: 'svk',
    dimensions: { deployment: 'dev' },
    clock: new FakeClock('2030-01-01T00:00:00Z'),
    write: (line) => void lines.push(line),
  });
});

describe('figures in the embedded metric format', () => {
  it('are one line for all that share their labels, as CloudWatch reads it', () => {
    const age = metrics.gauge({ name: 'svk_node_lease_age_seconds', help: 'x', labels: ['node'] });
    const seen = metrics.counter({ name: 'svk_seen_total', help: 'x', labels: ['node'] });
    age.set({ node: 'a' }, 4);
    age.set({ node: 'a' }, 3.5);
    seen.add({ node: 'a' });
    seen.add({ node: 'a' }, 2);
    age.set({ node: 'b' }, 12);
    metrics.flush();
    expect(lines.every((line) => line.endsWith('}\n'))).toBe(true);
    expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
      {
        _aws: {
          Timestamp: 1_893_456_000_000,
          CloudWatchMetrics: [
            {
              Namespace: 'svk',
              Dimensions: [['deployment', 'node']],
              Metrics: [
                { Name: 'svk_node_lease_age_seconds', Unit: 'Seconds' },
                { Name: 'svk_seen_total', Unit: 'Count' },
              ],
            },
          ],
        },
        deployment: 'dev',
        node: 'a',
        svk_node_lease_age_seconds: 3.5,
        svk_seen_total: 3,
      },
      {
        _aws: {
          Timestamp: 1_893_456_000_000,
          CloudWatchMetrics: [
            {
              Namespace: 'svk',
              Dimensions: [['deployment', 'node']],
              Metrics: [{ Name: 'svk_node_lease_age_seconds', Unit: 'Seconds' }],
            },
          ],
        },
        deployment: 'dev',
        node: 'b',
        svk_node_lease_age_seconds: 12,
      },
    ]);
  });

  it('are written once', () => {
    metrics.counter({ name: 'a_total', help: 'x' }).add({});
    metrics.flush();
    metrics.flush();
    expect(lines).toHaveLength(1);
  });

  it('keep at most the hundred values that CloudWatch takes, and read what is to be read', () => {
    const histogram = metrics.histogram({ name: 'a_seconds', help: 'x', buckets: [] });
    for (let value = 0; value < 101; value += 1) histogram.observe({}, value);
    metrics.gauge({ name: 'b_bytes', help: 'x' }).read({}, () => 7);
    metrics.flush();
    const line = JSON.parse(lines[0] ?? '') as { readonly a_seconds: readonly number[]; readonly b_bytes: number };
    expect(line.a_seconds).toHaveLength(100);
    expect(line).toMatchObject({ b_bytes: 7, _aws: { CloudWatchMetrics: [{ Metrics: [{}, { Unit: 'Bytes' }] }] } });
  });

  it('leave out what is no number: CloudWatch would refuse the line', () => {
    const gauge = metrics.gauge({ name: 'a', help: 'x' });
    gauge.set({}, 1);
    gauge.set({}, Number.NaN);
    metrics.flush();
    expect(JSON.parse(lines[0] ?? '')).toMatchObject({ a: 1 });
  });
});
