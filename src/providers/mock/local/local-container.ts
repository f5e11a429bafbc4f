import { type ChildProcess, spawn } from 'node:child_process';
import type { Readable, Writable } from 'node:stream';
import type { Clock } from '../../../core/clock.ts';
import { InvalidError } from '../../../core/errors.ts';
import type { RemoteStreams } from '../../../ports/remote-streams.ts';
import { OutputLog } from './output-log.ts';
import { closed, endWithUs, signalGroup } from './process-group.ts';
import { findProgram, type ProcessLaunch } from './program.ts';

/** Whether a container's first process has an input, and whether that ends with the first caller who attached to it. */
export interface InputOptions {
  readonly stdin: boolean;
  readonly stdinOnce: boolean;
}

/** The first process of a container, as a process of this machine with pipes. */
export class LocalContainer {
  readonly log = new OutputLog();
  /** Resolves to its exit code. */
  readonly ended: Promise<number>;
  readonly #child: ChildProcess;
  readonly #input: InputOptions;

  /** @throws {InvalidError} where the command cannot be started. */
  constructor(launch: ProcessLaunch, input: InputOptions, clock: Clock) {
    const [name = '', ...args] = launch.command;
    this.#input = input;
    this.#child = spawn(findProgram(launch), args, {
      argv0: name,
      env: launch.environment,
      detached: true,
      stdio: [input.stdin ? 'pipe' : 'ignore', 'pipe', 'pipe'],
    });
    endWithUs(this.#child);
    this.#child.stdout?.on('data', (chunk: Buffer) => this.log.append('stdout', chunk, clock.now()));
    this.#child.stderr?.on('data', (chunk: Buffer) => this.log.append('stderr', chunk, clock.now()));
    this.#child.stdin?.on('error', () => undefined);
    this.ended = closed(this.#child).catch(() => CANNOT_START);
    void this.ended.then(() => this.log.end());
  }

  /** Joins its streams from now on; resolves when it has ended, or when `signal` aborts. */
  async attach({ stdin, stdout, stderr }: RemoteStreams, signal: AbortSignal): Promise<void> {
    const input = this.#child.stdin;
    if (stdin !== undefined && input === null) {
      throw new InvalidError('the container has no input: its spec does not say stdin: true');
    }
    const leave = [join(this.#child.stdout, stdout), join(this.#child.stderr, stderr)];
    if (stdin !== undefined && input !== null) {
      stdin.pipe(input, { end: this.#input.stdinOnce });
      leave.push(() => stdin.unpipe(input).resume());
    }
    try {
      await Promise.race([this.ended, aborted(signal)]);
    } finally {
      for (const one of leave) one();
    }
  }

  kill(): void {
    signalGroup(this.#child.pid, 'SIGKILL');
  }
}

/** A shell's exit code for what it cannot run. */
const CANNOT_START = 127;

const join = (output: Readable | null, to: Writable | undefined): (() => void) => {
  if (output === null || to === undefined) return () => undefined;
  const pass = (chunk: Buffer): void => {
    // As a container engine: a caller who does not read holds the process up, until it has gone.
    if (!to.write(chunk)) output.pause();
  };
  const resume = (): void => void output.resume();
  output.on('data', pass);
  to.on('drain', resume);
  return () => {
    output.off('data', pass);
    to.off('drain', resume);
    resume();
  };
};

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
