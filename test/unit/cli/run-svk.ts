import { spawn } from 'node:child_process';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';

const SVK = fileURLToPath(new URL('../../../src/cli/svk.mjs', import.meta.url));

export interface SvkResult {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs the command as a person does, with this environment and no other. */
export const runSvk = async (
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<SvkResult> => {
  const child = spawn(process.execPath, [SVK, ...args], { env: environment, stdio: ['ignore', 'pipe', 'pipe'] });
  const exited = new Promise<number | null>((resolve) => child.on('exit', resolve));
  const [stdout, stderr, code] = await Promise.all([text(child.stdout), text(child.stderr), exited]);
  return { code, stdout, stderr };
};
