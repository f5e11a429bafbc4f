import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import * as z from 'zod/mini';

// Runs every `check:*` script of package.json, also after one has failed: one round shows every fault.
const { scripts } = z.parse(
  z.object({ scripts: z.record(z.string(), z.string()) }),
  JSON.parse(readFileSync('package.json', 'utf8')),
);
const checks = Object.keys(scripts).filter((name) => name.startsWith('check:'));
const failed = checks.filter((name) => {
  console.log(`\n== ${name}`);
  return spawnSync('npm', ['run', '--silent', name], { stdio: 'inherit' }).status !== 0;
});

console.log(failed.length === 0 ? `\n${checks.join(', ')}: passed` : `\n${failed.join(', ')}: failed`);
process.exitCode = failed.length === 0 ? 0 : 1;
