import { accessSync, constants, statSync } from 'node:fs';
import { resolve } from 'node:path';
import type { IPty, spawn as spawnPty } from '@lydell/node-pty';
import { type OutputSink, StartFailure, type Terminal } from '../runtime.ts';
import { terminalEnvironment } from '../terminal-environment.ts';
import { TerminalInput } from './terminal-input.ts';

interface Launch {
  readonly command: readonly string[];
  readonly directory: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** The kernel counts a terminal's size in 16 bits, and the library refuses 0: so many columns are none. */
const sixteenBits = 65_536;

/** A command in a terminal of this machine, leader of its own session and process group. */
export class ProcessTerminal implements Terminal {
  readonly ended: Promise<void>;
  readonly #pty: IPty;
  readonly #input: TerminalInput;
  #gone = false;

  private constructor(pty: IPty, output: OutputSink) {
    this.#pty = pty;
    // Not in the library's types.
    this.#input = new TerminalInput((pty as unknown as { readonly fd: number }).fd);
    // Without an encoding the library hands over bytes, whatever its types say.
    pty.onData((chunk: string | Uint8Array) => output(Buffer.from(chunk as Uint8Array)));
    this.ended = new Promise((settle) => {
      pty.onExit(() => {
        this.#gone = true;
        this.#input.end();
        settle();
      });
    });
  }

  /** @throws {StartFailure} where the command cannot be started, in Go's words. */
  static async start({ command, directory, environment }: Launch, output: OutputSink): Promise<ProcessTerminal> {
    const [name = '', ...args] = command;
    checkExecutable(name, environment['PATH'] ?? '', directory);
    const spawn = await library();
    const pty = spawn(name, args, {
      cols: sixteenBits,
      rows: sixteenBits,
      cwd: directory,
      env: { ...environment, ...terminalEnvironment(Boolean(environment['LANG'])) },
      encoding: null,
    });
    return new ProcessTerminal(pty, output);
  }

  write(data: Uint8Array): void {
    if (!this.#gone) this.#input.write(data);
  }

  resize(columns: number, rows: number): void {
    if (!this.#gone) this.#pty.resize(columns % sixteenBits || sixteenBits, rows % sixteenBits || sixteenBits);
  }

  pause(): void {
    this.#pty.pause();
  }

  resume(): void {
    this.#pty.resume();
  }

  kill(): void {
    if (this.#gone) return;
    // What was held back need not be read any more, and would keep the terminal open.
    this.#pty.resume();
    try {
      process.kill(-this.#pty.pid, 'SIGKILL');
    } catch {
      // The group is gone already.
    }
  }
}

const library = async (): Promise<typeof spawnPty> => {
  try {
    return (await import('@lydell/node-pty')).spawn;
  } catch {
    throw new StartFailure('Failed to start pty: the optional package @lydell/node-pty is not installed');
  }
};

/** As Go looks a command up: in PATH where its name has no slash. */
const checkExecutable = (name: string, path: string, directory: string): void => {
  if (name.includes('/')) {
    const fault = faultOf(resolve(directory, name));
    if (fault !== undefined) throw new StartFailure(`Failed to start pty: fork/exec ${name}: ${fault}`);
    return;
  }
  const found = path.split(':').some((folder) => faultOf(resolve(directory, folder, name)) === undefined);
  if (name === '' || !found) {
    throw new StartFailure(`Failed to start pty: exec: "${name}": executable file not found in $PATH`);
  }
};

const faultOf = (file: string): string | undefined => {
  const stats = statSync(file, { throwIfNoEntry: false });
  if (!stats) return 'no such file or directory';
  try {
    accessSync(file, constants.X_OK);
    return stats.isFile() ? undefined : 'permission denied';
  } catch {
    return 'permission denied';
  }
};
