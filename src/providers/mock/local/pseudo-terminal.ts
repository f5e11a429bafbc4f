import type { TerminalSize } from '../../../core/terminal-size.ts';

/** A command in a terminal of this machine. */
export interface PseudoTerminal {
  /** Resolves to the exit code once the last output was handed over. */
  readonly ended: Promise<number>;
  write(data: Uint8Array): void;
  resize(size: TerminalSize): void;
  pause(): void;
  resume(): void;
  /** SIGHUP, as if the line was cut; SIGKILL. Both to all that was started in it. */
  end(signal: 'SIGHUP' | 'SIGKILL'): void;
}
