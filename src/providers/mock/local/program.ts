import { accessSync, constants, statSync } from 'node:fs';
import path from 'node:path';
import { InvalidError } from '../../../core/errors.ts';

/** How a process is started: what it runs, and all of its environment. */
export interface ProcessLaunch {
  /** argv, never empty. */
  readonly command: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
}

/**
 * The file a command starts, looked up in PATH where its name has no slash. Looked up first, because a terminal library
 * starts anything and calls what is missing exit code 1.
 * @throws {InvalidError} in the words a container runtime has for it.
 */
export const findProgram = ({ command: [name = ''], environment }: ProcessLaunch): string => {
  if (name.includes('/')) {
    const fault = faultOf(name);
    if (fault === undefined) return name;
    throw new InvalidError(`exec failed: unable to start container process: exec: ${JSON.stringify(name)}: ${fault}`);
  }
  const folders = name === '' ? [] : (environment['PATH'] ?? '').split(path.delimiter);
  const found = folders.map((folder) => path.join(folder, name)).find((file) => faultOf(file) === undefined);
  if (found !== undefined) return found;
  throw new InvalidError(
    `exec failed: unable to start container process: exec: ${JSON.stringify(name)}: executable file not found in $PATH`,
  );
};

const faultOf = (file: string): string | undefined => {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (stats === undefined) return 'no such file or directory';
  try {
    accessSync(file, constants.X_OK);
    return stats.isFile() ? undefined : 'permission denied';
  } catch {
    return 'permission denied';
  }
};
