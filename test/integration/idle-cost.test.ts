import { expect, it } from 'vitest';
import { run } from '../bench/cost.ts';
import type { Measurement } from '../bench/measurement.ts';

it('an idle deployment with one node costs at most $1.00 a month, and each further node $0.10', async () => {
  const measured = new Map<string, Measurement>();
  for await (const measurement of run()) measured.set(measurement.metric, measurement);
  const month = measured.get('usd_per_node_month_idle');
  expect(month?.value).toBeLessThanOrEqual(1);
  expect(measured.get('usd_per_extra_node_month')?.value).toBeLessThanOrEqual(0.1);
  // Nothing of it is free: a part that costs nothing was not counted.
  for (const dollars of Object.values(month?.detail ?? {})) expect(dollars).toBeGreaterThan(0);
  // An hour of calls to real servers: six seconds where nobody else works, minutes where everybody does.
}, 600_000);
