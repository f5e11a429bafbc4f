import type { IPty } from '@lydell/node-pty';
import type { TerminalSize } from '../../../core/terminal-size.ts';
import { signalGroup } from './process-group.ts';
import { findProgram, type ProcessLaunch } from './program.ts';
import type { PseudoTerminal } from './pseudo-terminal.ts';
import { openScriptTerminal } from './script-terminal.ts';

/** Takes bytes as they are, whatever the types of the library say. */
interface BytePty extends Pick<IPty, 'pid' | 'onData' | 'onExit' | 'resize' | 'pause' | 'resume'> {
  write(data: string | Uint8Array): void;
}

interface PtyLibrary {
  spawn(
    file: string,
    args: string[],
    options: { name: string; cols: number; rows: number; env: Record<string, string>; encoding: null },
  ): BytePty;
}

/**
 * Starts a command in a terminal: by the optional package `@lydell/node-pty`, else by `script` of util-linux.
 * @throws {InvalidError} where the command cannot be started.
 */
export const openTerminal = async (
  launch: ProcessLaunch,
  size: TerminalSize,
  onData: (data: Uint8Array) => void,
  library: () => Promise<PtyLibrary> = () => import('@lydell/node-pty'),
): Promise<PseudoTerminal> => {
  const program = findProgram(launch);
  const pty = await library().catch(() => undefined);
  return pty === undefined
    ? openScriptTerminal(launch, size, onData)
    : new NodePtyTerminal(
        pty.spawn(program, launch.command.slice(1), {
          name: launch.environment['TERM'] ?? 'xterm',
          cols: size.columns,
          rows: size.rows,
          env: { ...launch.environment },
          encoding: null,
        }),
        onData,
      );
};

class NodePtyTerminal implements PseudoTerminal {
  readonly ended: Promise<number>;
  readonly #pty: BytePty;
  #isOver = false;

  constructor(pty: BytePty, onData: (data: Uint8Array) => void) {
    this.#pty = pty;
    // Without an encoding these are bytes, whatever the types say.
    pty.onData((data: string | Uint8Array) => onData(typeof data === 'string' ? Buffer.from(data) : data));
    this.ended = new Promise((resolve) => {
      pty.onExit(({ exitCode, signal = 0 }) => {
        this.#isOver = true;
        resolve(signal === 0 ? exitCode : 128 + signal);
      });
    });
  }

  write(data: Uint8Array): void {
    if (!this.#isOver) this.#pty.write(data);
  }

  resize({ columns, rows }: TerminalSize): void {
    if (!this.#isOver) this.#pty.resize(columns, rows);
  }

  pause(): void {
    this.#pty.pause();
  }

  resume(): void {
    this.#pty.resume();
  }

  end(signal: 'SIGHUP' | 'SIGKILL'): void {
    this.#pty.resume();
    if (!this.#isOver) signalGroup(this.#pty.pid, signal);
  }
}
