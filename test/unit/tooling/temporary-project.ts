import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';

/** A folder that stands in for the project: our configuration, our packages, other files. */
export interface TemporaryProject {
  /** Runs a program of node_modules/.bin in the project's folder. */
  run(program: string, args: readonly string[]): Ended;
}

/** How a program ended and what it printed: `output` is both streams, one after the other. */
export interface Ended {
  readonly code: number;
  readonly stdout: string;
  readonly output: string;
}

/** Makes a project of `files` (path -> text) and of `copied` files of our own, uses it and removes it. */
export function inProject<T>(
  files: Readonly<Record<string, string>>,
  copied: readonly string[],
  use: (project: TemporaryProject) => T,
): T {
  const root = resolve(import.meta.dirname, '../../..');
  const path = mkdtempSync(join(tmpdir(), 'svk-tooling-'));
  try {
    symlinkSync(join(root, 'node_modules'), join(path, 'node_modules'));
    for (const file of ['package.json', 'tsconfig.json', ...copied]) {
      cpSync(join(root, file), join(path, file), { recursive: true });
    }
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(path, file)), { recursive: true });
      writeFileSync(join(path, file), text);
    }
    return use({
      run(program, args) {
        const command = join(root, 'node_modules/.bin', program);
        const { status, stdout, stderr } = spawnSync(command, args, { cwd: path, encoding: 'utf8' });
        return { code: status ?? -1, stdout, output: stdout + stderr };
      },
    });
  } finally {
    rmSync(path, { recursive: true, force: true });
  }
}
