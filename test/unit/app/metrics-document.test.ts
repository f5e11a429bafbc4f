import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { PrometheusMetrics } from '../../../src/adapters/telemetry/prometheus-metrics.ts';
import { createFunctionMetrics } from '../../../src/app/function-metrics.ts';
import { createInstruments } from '../../../src/app/process/instruments.ts';
import { measuredRequests } from '../../../src/app/process/measured-requests.ts';
import type { Environment } from '../../../src/config/environment.ts';
import { FakeClock } from '../../fakes/clock.ts';

it('docs/metrics.md names every figure, and none that is not there', async () => {
  const clock = new FakeClock();
  const metrics = new PrometheusMetrics(clock);
  createInstruments(metrics, clock);
  measuredRequests({ metrics }, clock);
  const { text } = await metrics.expose();
  const ofProcess = [...text.matchAll(/^# TYPE (\S+) /gm)].map(([, name]) => name);

  const lines: string[] = [];
  const settings = { deployment: 'dev' } as Environment<unknown>['settings'];
  const write = (line: string): void => void lines.push(line);
  const functions = createFunctionMetrics({ environment: { metrics: 'emf', settings }, clock, write });
  functions.leaseSeen('fargate', 1);
  await functions.counted({ work: () => Promise.resolve([{ ok: true }]) }).work([], new AbortController().signal);
  for (const { after } of functions.middlewares) await after?.({} as never);
  const ofFunctions = [...lines.join('').matchAll(/"Name":"(\w+)"/g)].map(([, name]) => name);

  const document = readFileSync('docs/metrics.md', 'utf8');
  const named = [...document.matchAll(/^\| (`[^|]*) \|/gm)].flatMap(([, cell = '']) => cell.match(/\w+_\w+/g) ?? []);
  expect(new Set(named)).toEqual(new Set([...ofProcess, ...ofFunctions, 'svk_launches_total']));
});
