import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, expect, it } from 'vitest';

const SVK = fileURLToPath(new URL('../../src/cli/svk.mjs', import.meta.url));
let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(path.join(tmpdir(), 'svk-pipe-'));
  // As npm installs the plugin.
  for (const name of ['svk', 'kubectl-svk']) await symlink(SVK, path.join(folder, name));
});
afterAll(() => rm(folder, { recursive: true }));

it.each([
  { name: 'svk', args: ['run', '--help'] },
  { name: 'svk', args: ['completion', 'zsh'] },
  { name: 'kubectl-svk', args: ['--help'] },
])('$name $args ends without a word where nobody reads it', async ({ name, args }) => {
  const child = spawn(process.execPath, [path.join(folder, name), ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.destroy();
  const [stderr, [code]] = await Promise.all([text(child.stderr), once(child, 'exit')]);
  expect([code, stderr]).toEqual([141, '']);
});
