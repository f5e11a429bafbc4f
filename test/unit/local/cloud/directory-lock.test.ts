import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { lockDirectory, unlockDirectory } from '../../../../infra/local/cloud/directory-lock.ts';

it('names the living process that has the directory, and takes over from a dead one', () => {
  const directory = mkdtempSync(join(tmpdir(), 'svk-lock-'));
  writeFileSync(join(directory, 'start.pid'), String(process.ppid));
  expect(lockDirectory(directory)).toBe(process.ppid);
  const { pid: dead } = spawnSync('true');
  writeFileSync(join(directory, 'start.pid'), String(dead));
  expect(lockDirectory(directory)).toBeUndefined();
  expect(lockDirectory(directory)).toBeUndefined();
  unlockDirectory(directory);
  rmSync(directory, { recursive: true });
});
