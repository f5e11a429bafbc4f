/** `npm run fuzz -- [TARGET …] [--frames N] [--seed N]`: mutated frames, so many in total, at what reads them. */
import { parseArgs } from 'node:util';
import { fuzz } from './fuzz.ts';
import { FUZZ_TARGETS } from './targets.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { frames: { type: 'string', default: '100000' }, seed: { type: 'string', default: '1' } },
});
const [frames, seed] = [Number(values.frames), Number(values.seed)];
const names = FUZZ_TARGETS.map(({ name }) => name);
const unknown = positionals.filter((name) => !names.includes(name));
if (unknown.length > 0 || !Number.isInteger(frames) || frames < 1 || !Number.isInteger(seed)) {
  const fault = unknown.length > 0 ? `no target "${unknown.join(', ')}"` : 'give --frames and --seed whole numbers';
  process.stderr.write(`fuzz: ${fault}; targets: ${names.join(', ')}\n`);
  process.exit(2);
}

/** Collected or not, some pages of the heap stay. */
const MOST_GROWTH_BYTES = 67_108_864;

const chosen = FUZZ_TARGETS.filter(({ name }) => positionals.length === 0 || positionals.includes(name));
for (const target of chosen) {
  const report = await fuzz(target, { frames: Math.ceil(frames / chosen.length), seed });
  await target.close?.();
  const growth = (report.growthBytes / 1_048_576).toFixed(1);
  process.stdout.write(
    `${target.name}: ${report.frames} mutated frames in ${report.conversations} conversations, memory ${growth} MiB more\n`,
  );
  if (report.growthBytes > MOST_GROWTH_BYTES) {
    process.stderr.write(`fuzz: ${target.name} keeps what it reads\n`);
    process.exitCode = 1;
  }
}
