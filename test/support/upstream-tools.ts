import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, mkdtemp, readFile, rename, rm } from 'node:fs/promises';
import { homedir } from 'node:os';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const run = promisify(execFile);
const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const MODULE = path.join(ROOT, 'test/upstream-e2e');
const BUILD_WITHIN_MS = 1_800_000;

/** virtual-kubelet's command, its end-to-end suite as a program, and metrics-server. */
export type UpstreamTool = 'virtual-kubelet' | 'vk-e2e.test' | 'metrics-server';

const PACKAGES: Readonly<Record<UpstreamTool, readonly string[]>> = {
  'virtual-kubelet': ['build', 'github.com/virtual-kubelet/virtual-kubelet/cmd/virtual-kubelet'],
  'vk-e2e.test': ['test', '.'],
  // None of the module's: it is built from its own.
  'metrics-server': ['install', 'sigs.k8s.io/metrics-server/cmd/metrics-server@v0.8.0'],
};

/**
 * The path of a program written in Go: from the folder `SVK_TEST_TOOLS`, else from the one that the script
 * `../shared/tools/unpack` beside the project prints, else built with Go from the module test/upstream-e2e, once for each
 * state of it. Undefined where there is none of these. @throws {Error} where a build fails, or in CI where none is there.
 */
export const findUpstreamTool = async (name: UpstreamTool): Promise<string | undefined> => {
  const folder = process.env['SVK_TEST_TOOLS'];
  if (folder && existsSync(path.join(folder, name))) return path.join(folder, name);
  const unpack = path.resolve(ROOT, '../shared/tools/unpack');
  if (existsSync(unpack)) return path.join((await run(unpack)).stdout.trim(), name);
  if (await hasGo()) return build(name);
  const message = `no ${name}: install Go, or name a folder that holds it by SVK_TEST_TOOLS`;
  if (process.env['CI'] === 'true') throw new Error(message);
  console.warn(message);
  return undefined;
};

const hasGo = async (): Promise<boolean> =>
  run('go', ['version']).then(
    () => true,
    () => false,
  );

/** Builds the program from the module, or answers the one built before from the same sums. Takes minutes the first time. */
const build = async (name: UpstreamTool): Promise<string> => {
  const target = path.join(cacheFolder(), await stateOfModule(), name);
  if (existsSync(target)) return target;
  await mkdir(path.dirname(target), { recursive: true });
  const scratch = await mkdtemp(path.join(path.dirname(target), '.build-'));
  try {
    const [command = '', what = ''] = PACKAGES[name];
    const output = path.join(scratch, name);
    const flags = ['-trimpath', '-ldflags', '-s -w', ...(command === 'test' ? ['-c'] : [])];
    const into = command === 'install' ? [] : ['-o', output];
    const env = { ...process.env, GOBIN: scratch };
    await run('go', [command, ...flags, ...into, what], { cwd: MODULE, timeout: BUILD_WITHIN_MS, env });
    await rename(output, target);
    return target;
  } finally {
    await rm(scratch, { recursive: true, force: true });
  }
};

const cacheFolder = (): string =>
  path.join(process.env['XDG_CACHE_HOME'] ?? path.join(homedir(), '.cache'), 'svk-upstream');

const stateOfModule = async (): Promise<string> => {
  const hash = createHash('sha256');
  for (const file of ['go.mod', 'go.sum', 'suite_test.go']) hash.update(await readFile(path.join(MODULE, file)));
  return hash.digest('hex').slice(0, 16);
};
