import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync } from 'node:fs';

/** A program that a test has started. */
export interface Child {
  readonly pid: number;
  /** True once it has ended. */
  hasEnded(): boolean;
  /** Asks it to end, and insists after ten seconds. */
  stop(): Promise<void>;
}

/** Starts a program whose output goes to the file `log`. @throws {Error} where it cannot be started. */
export const startChild = async (
  [command = '', ...args]: readonly string[],
  { env, log }: { readonly env: Readonly<Record<string, string | undefined>>; readonly log: string },
): Promise<Child> => {
  const output = openSync(log, 'a', 0o600);
  const child = spawn(command, args, { env, stdio: ['ignore', output, output] });
  closeSync(output);
  await once(child, 'spawn');
  return { pid: child.pid ?? 0, hasEnded: () => hasEnded(child), stop: () => stop(child) };
};

const hasEnded = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode !== null || signalCode !== null;

const stop = async (child: ChildProcess): Promise<void> => {
  if (hasEnded(child)) return;
  const exited = once(child, 'exit');
  child.kill('SIGTERM');
  const timer = setTimeout(() => child.kill('SIGKILL'), 10_000);
  await exited;
  clearTimeout(timer);
};
