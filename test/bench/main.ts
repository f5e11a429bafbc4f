/** `npm run bench -- NAME [--json] [--pods N]`: one benchmark, or all of them where none is named. */
import { parseArgs } from 'node:util';
import type { BenchOptions, Measurement } from './measurement.ts';

type Bench = (options: BenchOptions) => AsyncIterable<Measurement>;

const BENCHES: Readonly<Record<string, () => Promise<{ readonly run: Bench }>>> = {
  calls: () => import('./calls.ts'),
  cost: () => import('./cost.ts'),
  exec: () => import('./exec.ts'),
  'lambda-memory': () => import('./lambda-memory.ts'),
  latency: () => import('./latency.ts'),
  logs: () => import('./logs.ts'),
  memory: () => import('./memory.ts'),
};

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { json: { type: 'boolean', default: false }, pods: { type: 'string', default: '100' } },
});
const names = positionals.length > 0 ? positionals : Object.keys(BENCHES);
const unknown = names.filter((name) => !Object.hasOwn(BENCHES, name));
const pods = Number(values.pods);
if (unknown.length > 0 || !Number.isInteger(pods) || pods < 1) {
  const fault =
    unknown.length > 0 ? `no benchmark "${unknown.join(', ')}"` : `--pods ${values.pods}: give a whole number`;
  process.stderr.write(`bench: ${fault}; there are: ${Object.keys(BENCHES).join(', ')}\n`);
  process.exit(2);
}

for (const name of names) {
  const bench = await BENCHES[name]?.();
  for await (const measurement of bench?.run({ pods }) ?? []) print(measurement);
}

function print(measurement: Measurement): void {
  if (values.json) return void process.stdout.write(`${JSON.stringify(measurement)}\n`);
  const { bench, metric, subject, value, unit, p99, n, detail } = measurement;
  const spread = p99 === undefined ? '' : ` (p99 ${round(p99)}, n ${n})`;
  process.stdout.write(`${bench}  ${metric}  ${subject}  ${round(value)} ${unit}${spread}\n`);
  for (const [part, count] of Object.entries(detail ?? {})) process.stdout.write(`    ${count} × ${part}\n`);
}

function round(value: number): number {
  return Math.round(value * 100) / 100;
}
