import type { ChildProcess } from 'node:child_process';
import { Socket } from 'node:net';
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

const led = new Set<number>();

/** Has a process, with all it has started, end with ours, and never keep ours from ending. */
export const endWithUs = (child: ChildProcess): void => {
  const { pid } = child;
  if (pid === undefined) return;
  if (led.size === 0) process.once('exit', killAll);
  led.add(pid);
  child.once('exit', () => {
    led.delete(pid);
    if (led.size === 0) process.off('exit', killAll);
  });
  child.unref();
  for (const stream of [child.stdin, child.stdout, child.stderr]) if (stream instanceof Socket) stream.unref();
};

const killAll = (): void => {
  for (const pid of led) signalGroup(pid, 'SIGKILL');
};
