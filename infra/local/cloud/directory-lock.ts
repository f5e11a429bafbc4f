import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const FILE = 'start.pid';

/**
 * Makes the directory ours until `unlock`. Answers the process that has it already, undefined where it is ours now. A
 * process that has died leaves nothing to wait for.
 */
export const lockDirectory = (directory: string): number | undefined => {
  mkdirSync(directory, { recursive: true });
  const file = join(directory, FILE);
  const other = existsSync(file) ? Number(readFileSync(file, 'utf8')) : undefined;
  if (other !== undefined && other !== process.pid && isAlive(other)) return other;
  writeFileSync(file, String(process.pid));
  return undefined;
};

export const unlockDirectory = (directory: string): void => rmSync(join(directory, FILE), { force: true });

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};
