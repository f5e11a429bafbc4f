import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../../..');
const launcher = join(root, 'src/cli/svk.mjs');
/** Makes the node that runs the launcher say that it is an old one; the node it starts itself is not told. */
const OLD_NODE =
  'data:text/javascript,Object.defineProperty(process,"versions",{value:{...process.versions,node:"20.19.0"}})';

const svk = (nodeArguments: readonly string[], ...args: readonly string[]): { code: number | null; output: string } => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...nodeArguments, launcher, ...args], {
    encoding: 'utf8',
    cwd: tmpdir(),
  });
  return { code: status, output: stdout + stderr };
};

/** The launcher has found a Node that runs TypeScript, whichever was called. */
const VERSION_LINE = /^svk 0\.1\.0, Node v24\.\S+, \w+\/\w+\n$/;

describe('the svk launcher', () => {
  it('runs the command', () => {
    expect(svk([], 'version')).toEqual({ code: 0, output: expect.stringMatching(VERSION_LINE) });
  });

  it('starts the installed Node where the one that runs it is too old', () => {
    expect(svk(['--import', OLD_NODE], 'version')).toEqual({ code: 0, output: expect.stringMatching(VERSION_LINE) });
  });

  it('keeps the exit code of the Node it started', () => {
    const { code, output } = svk(['--import', OLD_NODE], 'no-such-command');
    expect(output).toContain("unknown command 'no-such-command'");
    expect(code).toBe(2);
  });

  it('is what `npx svk` runs, without a network and with an empty cache', () => {
    const cache = mkdtempSync(join(tmpdir(), 'svk-npx-'));
    try {
      const { stdout, status } = spawnSync('npx', ['--offline', 'svk', 'version'], {
        cwd: root,
        encoding: 'utf8',
        env: { ...process.env, npm_config_cache: cache },
      });
      expect({ stdout, status }).toEqual({ stdout: expect.stringMatching(VERSION_LINE), status: 0 });
    } finally {
      rmSync(cache, { recursive: true, force: true });
    }
  });
});
