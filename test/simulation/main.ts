import { parseArgs } from 'node:util';
import { MUTANTS } from './mutants.ts';
import { runWorlds, type Seeds, type Worlds } from './worlds.ts';

/** So many worlds must be enough to find a deliberate bug. */
const SEEDS_PER_MUTANT = 2_000;

/**
 * `npm run simulate -- --seeds N --from S`: N worlds from seed S on; `--history` tells what happened in those that failed
 * (made smaller where it can be), `--mishaps` what befell them all. `--mutants`: whether deliberate bugs are found. Exits 1 where a world breaks a promise,
 * or where a deliberate bug breaks none.
 */
const main = async (): Promise<void> => {
  const { values } = parseArgs({
    options: {
      seeds: { type: 'string' },
      from: { type: 'string', default: '1' },
      history: { type: 'boolean', default: false },
      mishaps: { type: 'boolean', default: false },
      mutants: { type: 'boolean', default: false },
    },
  });
  const from = Number(values.from);
  const begun = performance.now();
  if (values.mutants) {
    const survivors = await findMutants({ from, count: Number(values.seeds ?? SEEDS_PER_MUTANT) }, values.history);
    console.log(`${MUTANTS.length} mutants, ${survivors} survived, ${secondsSince(begun)} s`);
    process.exitCode = survivors === 0 ? 0 : 1;
    return;
  }
  const worlds = await runWorlds({ from, count: Number(values.seeds ?? 200), shrinks: true });
  for (const [index, { seed, violation, history }] of worlds.failed.entries()) {
    if (values.history || index === 0) console.log(history.join('\n'));
    console.log(`seed ${seed}: ${violation?.message}`);
  }
  if (values.mishaps) printMishaps(worlds);
  console.log(`${worlds.count} worlds, ${worlds.failed.length} failed, ${secondsSince(begun)} s`);
  process.exitCode = worlds.failed.length === 0 ? 0 : 1;
};

/** Answers how many were not found. */
const findMutants = async (seeds: Seeds, shrinks: boolean): Promise<number> => {
  let survivors = 0;
  for (const { name } of MUTANTS) {
    const { failed, count } = await runWorlds({ ...seeds, mutant: name, mostFailures: 1, shrinks });
    const [first] = failed;
    if (!first) survivors += 1;
    if (shrinks && first) console.log(first.history.join('\n'));
    console.log(
      first
        ? `caught    ${name}: seed ${first.seed}: ${first.violation?.message}`
        : `SURVIVED  ${name}: ${count} worlds`,
    );
  }
  return survivors;
};

const printMishaps = ({ mishaps }: Worlds): void => {
  const rows = [...mishaps].sort(([a], [b]) => a.localeCompare(b));
  for (const [kind, { times, worlds }] of rows)
    console.log(`${kind.padEnd(30)} ${String(times).padStart(8)} times in ${String(worlds).padStart(6)} worlds`);
};

const secondsSince = (begun: number): string => ((performance.now() - begun) / 1_000).toFixed(1);

await main();
