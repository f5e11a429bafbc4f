import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import type { Template } from './template.ts';

export const ROOT: string = resolve(import.meta.dirname, '../../..');

export interface Ended {
  readonly code: number | null;
  readonly output: string;
}

/** Runs `serverless` in the project with no credentials but those of `environment`. */
export function serverless(args: readonly string[], environment: Readonly<Record<string, string>> = {}): Ended {
  const { status, stdout, stderr } = spawnSync(join(ROOT, 'node_modules/.bin/serverless'), args, {
    cwd: ROOT,
    encoding: 'utf8',
    env: {
      PATH: process.env['PATH'] ?? '',
      HOME: process.env['HOME'] ?? '',
      SLS_NOTIFICATIONS_MODE: 'off',
      ...environment,
    },
  });
  return { code: status, output: stdout + stderr };
}

export interface Packaged {
  readonly folder: string;
  remove(): void;
}

/** Bundles and packages, without credentials or network. To be removed. @throws {Error} with the output. */
export function packageService(...args: readonly string[]): Packaged {
  const folder = mkdtempSync(join(tmpdir(), 'svk-package-'));
  const { code, output } = serverless(['package', '--package', folder, ...args]);
  if (code !== 0) {
    rmSync(folder, { recursive: true });
    throw new Error(`serverless package failed:\n${output}`);
  }
  return { folder, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

/** Files of CloudFormation's in a package: the deployment itself, and the bucket that comes before it. */
export const TEMPLATE = 'cloudformation-template-update-stack.json';
export const BUCKET_TEMPLATE = 'cloudformation-template-create-stack.json';

/** The template of the deployment in this package. */
export function readTemplate(folder: string): Template {
  return JSON.parse(readFileSync(join(folder, TEMPLATE), 'utf8')) as Template;
}
