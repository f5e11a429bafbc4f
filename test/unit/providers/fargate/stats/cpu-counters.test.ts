import { describe, expect, it } from 'vitest';
import { addSamples, parseCheckpoint } from '../../../../../src/providers/fargate/stats/cpu-counters.ts';
import type { InsightsSample } from '../../../../../src/providers/fargate/stats/insights-sample.ts';

const MINUTE = 60_000;

const sample = (at: number, cpuUnits: number, changes: Partial<InsightsSample> = {}): InsightsSample => ({
  taskId: 'task',
  container: 'app',
  at,
  cpuUnits,
  memoryMiB: 1,
  ...changes,
});

const started = new Map([['task', 0]]);

describe('CPU time', () => {
  it.each([
    { want: 'a minute of a whole core', samples: [sample(MINUTE, 1024)], coreNanoSeconds: 60e9 },
    {
      want: 'a quarter of a core for three minutes',
      samples: [1, 2, 3].map((n) => sample(n * MINUTE, 256)),
      coreNanoSeconds: 45e9,
    },
    { want: 'less for a first minute that was none', samples: [sample(20_000, 1024)], coreNanoSeconds: 20e9 },
    {
      want: 'a missed minute at the rate of the next',
      samples: [sample(MINUTE, 512), sample(3 * MINUTE, 1024)],
      coreNanoSeconds: 150e9,
    },
    { want: 'five minutes at most', samples: [sample(MINUTE, 0), sample(60 * MINUTE, 1024)], coreNanoSeconds: 300e9 },
    { want: 'no sample twice', samples: [sample(MINUTE, 1024), sample(MINUTE, 1024)], coreNanoSeconds: 60e9 },
    { want: 'nothing for what is idle', samples: [sample(MINUTE, 0)], coreNanoSeconds: 0 },
  ])('counts $want', ({ samples, coreNanoSeconds }) => {
    expect(addSamples({}, samples, started)['task app']?.coreNanoSeconds).toBe(coreNanoSeconds);
  });

  it('goes on where it was', () => {
    const before = { 'task app': { at: MINUTE, coreNanoSeconds: 7e9 } };
    expect(addSamples(before, [sample(MINUTE, 1024), sample(2 * MINUTE, 1024)], started)).toEqual({
      'task app': { at: 2 * MINUTE, coreNanoSeconds: 67e9 },
    });
  });

  it('is the same in one step and in two', () => {
    const samples = Array.from({ length: 30 }, (_, index) => sample((index + 1) * MINUTE, (index * 37) % 300));
    const half = addSamples({}, samples.slice(0, 11), started);
    expect(addSamples(half, samples, started)).toEqual(addSamples({}, samples, started));
  });

  it('is counted apart for each container, and only of tasks that run', () => {
    const before = { 'gone app': { at: 0, coreNanoSeconds: 1 } };
    const samples = [
      sample(MINUTE, 1024, { container: 'side' }),
      sample(MINUTE, 512),
      sample(MINUTE, 512, { taskId: 'stranger' }),
    ];
    expect(addSamples(before, samples, started)).toEqual({
      'task side': { at: MINUTE, coreNanoSeconds: 60e9 },
      'task app': { at: MINUTE, coreNanoSeconds: 30e9 },
    });
  });

  it.each(['', 'null', '{"at":1}', '{"at":"1","counters":{}}', '{'])('begins anew after the checkpoint %j', (text) => {
    expect(parseCheckpoint(text)).toBeUndefined();
  });
});
