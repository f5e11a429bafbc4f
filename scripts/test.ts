import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { closingLine, secondAttempts, totalsOf } from './totals.ts';

/** The kinds of tests (folders of `test/`, projects of vitest.config.ts) that each command runs. */
const TIERS: Readonly<Record<string, readonly string[]>> = {
  default: ['unit', 'golden', 'contract', 'scenarios', 'simulation', 'integration'],
  cluster: ['cluster'],
  docker: ['docker'],
  deploy: ['deploy'],
};

const [tier = 'default', ...vitestArguments] = process.argv.slice(2);
const kinds = TIERS[tier];
if (kinds === undefined) {
  console.error(`scripts/test.ts: no tier "${tier}": one of ${Object.keys(TIERS).join(', ')}`);
  process.exitCode = 2;
} else {
  process.exitCode = await runVitest(kinds, vitestArguments);
}

/** Runs Vitest as a process of its own, so that the closing line is printed however it ends. */
async function runVitest(projects: readonly string[], extra: readonly string[]): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'svk-test-'));
  const report = join(folder, 'report.json');
  try {
    const exitCode = await run('node_modules/.bin/vitest', [
      'run',
      ...projects.flatMap((project) => ['--project', project]),
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${report}`,
      ...extra,
    ]);
    const written = readIfThere(report);
    for (const line of secondAttempts(written)) console.log(line);
    const totals = totalsOf(written, exitCode);
    console.log(closingLine(totals));
    return totals.failed === 0 ? exitCode : 1;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function run(command: string, args: readonly string[]): Promise<number> {
  const child = spawn(command, args, { stdio: 'inherit' });
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.on(signal, () => child.kill(signal));
  return new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('exit', (code) => resolve(code ?? 1));
  });
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}
