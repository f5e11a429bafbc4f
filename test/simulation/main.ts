import { parseArgs } from 'node:util';
import { simulate } from './simulation.ts';

/** `npm run simulate -- --seeds N --from S [--history]`: N worlds from seed S on; exits 1 where one breaks a promise. */
const main = async (): Promise<void> => {
  const { values } = parseArgs({
    options: {
      seeds: { type: 'string', default: '200' },
      from: { type: 'string', default: '1' },
      history: { type: 'boolean', default: false },
    },
  });
  const from = Number(values.from);
  const count = Number(values.seeds);
  const begun = performance.now();
  let failed = 0;
  for (let seed = from; seed < from + count; seed += 1) {
    const { violation, history } = await simulate(seed);
    if (values.history) console.log(history.join('\n'));
    if (!violation) continue;
    failed += 1;
    if (!values.history && failed === 1) console.log(history.join('\n'));
    console.log(`seed ${seed}: ${violation.message}`);
  }
  console.log(`${count} worlds, ${failed} failed, ${((performance.now() - begun) / 1_000).toFixed(1)} s`);
  process.exitCode = failed === 0 ? 0 : 1;
};

await main();
