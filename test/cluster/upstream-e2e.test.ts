import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { openNetwork } from '../support/network-namespace.ts';
import { findUpstreamTool } from '../support/upstream-tools.ts';

const MAIN = fileURLToPath(new URL('../upstream-e2e/main.ts', import.meta.url));
const suite = await findUpstreamTool('vk-e2e.test');

const COMMON = [
  'TestCreatePodWithMandatoryInexistentConfigMap',
  'TestCreatePodWithMandatoryInexistentSecrets',
  'TestCreatePodWithOptionalInexistentConfigMap',
  'TestCreatePodWithOptionalInexistentSecrets',
  'TestGetPods',
  'TestPodLifecycleForceDelete',
  'TestPodLifecycleGracefulDelete',
];
/** They need pods of three containers and figures of what those use. */
const WITH_FIGURES = ['TestGetMetricsResource', 'TestGetStatsSummary'];

interface Outcome {
  readonly exitCode: number;
  readonly passed: readonly string[];
  readonly output: string;
}

const runSuite = async (subject: string, skipped: readonly string[]): Promise<Outcome> => {
  const network = await openNetwork();
  try {
    const args = [
      ...network.prefix,
      process.execPath,
      MAIN,
      `--subject=${subject}`,
      `--address=${network.address}`,
      `--suite=${suite}`,
      `--skip=${skipped.join('|')}`,
    ];
    return await new Promise((resolve) => {
      const child = execFile('env', args, { maxBuffer: 64 * 1024 * 1024 }, (_error, stdout, stderr) =>
        resolve({ exitCode: child.exitCode ?? 1, passed: passedIn(stdout), output: `${stdout}\n${stderr}` }),
      );
    });
  } finally {
    await network.remove();
  }
};

const passedIn = (output: string): readonly string[] =>
  [...output.matchAll(/^ +--- PASS: \w+\/(\w+)/gm)].map(([, name = '']) => name).sort();

it.skipIf(!suite).each([
  { provider: 'mock', passes: [...COMMON, ...WITH_FIGURES], skipped: [] },
  { provider: 'fargate', passes: COMMON, skipped: WITH_FIGURES },
])('virtual-kubelet’s own suite passes on svk run --provider $provider', async ({ provider, passes, skipped }) => {
  const { exitCode, passed, output } = await runSuite(provider, skipped);
  expect(passed, output).toEqual([...passes].sort());
  expect(exitCode, output).toBe(0);
});
