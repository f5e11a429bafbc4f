import type { ChildProcess } from 'node:child_process';
import { constants } from 'node:os';

/** Sends a signal to a process that leads its group, and to everything it has started there. */
export const signalGroup = (pid: number | undefined, signal: NodeJS.Signals): void => {
  if (pid === undefined) return;
  try {
    process.kill(-pid, signal);
  } catch {
    // The group is gone already.
  }
};

/** The exit code as a shell tells it: 128 + n for the signal n. */
const exitCodeOf = (code: number | null, signal: NodeJS.Signals | null): number =>
  code ?? 128 + (signal === null ? 0 : constants.signals[signal]);

/** Resolves to the exit code once the process has ended and all of its output was handed over. */
export const closed = (child: ChildProcess): Promise<number> =>
  new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code, signal) => resolve(exitCodeOf(code, signal)));
  });
