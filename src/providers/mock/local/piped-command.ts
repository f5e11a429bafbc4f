import { spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { RemoteStreams } from '../../../ports/remote-streams.ts';
import { feed } from './feed.ts';
import { closed, signalGroup } from './process-group.ts';
import { findProgram, type ProcessLaunch } from './program.ts';

/**
 * Runs a command with pipes and answers its exit code. Where `signal` aborts it is killed, with all it has started.
 * @throws {InvalidError} where it cannot be started.
 */
export const runPiped = async (
  launch: ProcessLaunch,
  { stdin, stdout, stderr }: RemoteStreams,
  signal: AbortSignal,
): Promise<number> => {
  const [name = '', ...args] = launch.command;
  const child = spawn(findProgram(launch), args, {
    argv0: name,
    env: launch.environment,
    detached: true,
    stdio: [pipeIf(stdin), pipeIf(stdout), pipeIf(stderr)],
  });
  const kill = (): void => signalGroup(child.pid, 'SIGKILL');
  signal.addEventListener('abort', kill, { once: true });
  if (signal.aborted) kill();
  try {
    if (stdin !== undefined && child.stdin !== null) feed(stdin, child.stdin);
    deliver(child.stdout, stdout);
    deliver(child.stderr, stderr);
    return await closed(child);
  } finally {
    signal.removeEventListener('abort', kill);
  }
};

const pipeIf = (stream: unknown): 'pipe' | 'ignore' => (stream === undefined ? 'ignore' : 'pipe');

const deliver = (output: Readable | null, to: Writable | undefined): void => {
  if (output === null || to === undefined) return;
  output.pipe(to, { end: false });
  // Whoever reads no more must not stall the command: it ends by its signal.
  to.once('close', () => {
    output.unpipe(to);
    output.resume();
  });
};
