import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';
import type { Readable, Writable } from 'node:stream';
import type { TerminalSize } from '../../../core/terminal-size.ts';
import { closed, signalGroup } from './process-group.ts';
import type { ProcessLaunch } from './program.ts';
import type { PseudoTerminal } from './pseudo-terminal.ts';

/**
 * A terminal by util-linux' `script`, which needs no native code: it gives the command a terminal without a size and passes
 * its exit code on. Sizes are set from outside, on the terminal's device.
 */
export const openScriptTerminal = (
  { command, environment }: ProcessLaunch,
  { columns, rows }: TerminalSize,
  onData: (data: Uint8Array) => void,
): PseudoTerminal => {
  const line = `stty rows ${rows} cols ${columns}; exec ${command.map(quoted).join(' ')}`;
  const child = spawn('script', ['-qefc', line, '/dev/null'], {
    env: { ...environment, SHELL: '/bin/sh' },
    detached: true,
    stdio: ['pipe', 'pipe', 'ignore'],
  });
  child.stdout.on('data', onData);
  child.stdin.on('error', () => undefined);
  return new ScriptTerminal(child);
};

class ScriptTerminal implements PseudoTerminal {
  readonly ended: Promise<number>;
  readonly #child: ChildProcessByStdio<Writable, Readable, null>;

  constructor(child: ChildProcessByStdio<Writable, Readable, null>) {
    this.#child = child;
    this.ended = closed(child);
  }

  write(data: Uint8Array): void {
    if (this.#child.stdin.writable) this.#child.stdin.write(data);
  }

  resize({ columns, rows }: TerminalSize): void {
    const inside = this.#inside();
    if (inside === undefined) return;
    const device = readlinkSync(`/proc/${inside}/fd/0`);
    spawn('stty', ['-F', device, 'cols', String(columns), 'rows', String(rows)], { stdio: 'ignore' }).on(
      'error',
      () => undefined,
    );
  }

  pause(): void {
    this.#child.stdout.pause();
  }

  resume(): void {
    this.#child.stdout.resume();
  }

  end(signal: 'SIGHUP' | 'SIGKILL'): void {
    this.resume();
    signalGroup(this.#inside(), signal);
    signalGroup(this.#child.pid, signal);
  }

  /** The process in the terminal; undefined before it is there and once it has gone. */
  #inside(): number | undefined {
    const { pid } = this.#child;
    try {
      return readdirSync(`/proc/${pid}/task`)
        .flatMap((task) => readFileSync(`/proc/${pid}/task/${task}/children`, 'utf8').trim().split(' '))
        .map(Number)
        .find((child) => child > 0);
    } catch {
      return undefined;
    }
  }
}

const quoted = (argument: string): string => `'${argument.replaceAll("'", "'\\''")}'`;
