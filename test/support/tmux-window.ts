import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { waitFor } from './local-cloud.ts';

const run = promisify(execFile);

/** Long: the machine may be busy with other tests. */
const WITHIN_MS = 60_000;

/** The screen is the program's alone. */
const SETTINGS = 'set -g status off\n';

/**
 * Runs its arguments and shows their end: tmux itself sometimes misses the exit code of what it runs. Stays for ten minutes,
 * so that a window which nobody closes takes its server along.
 */
const SHOWING_ITS_END = ['sh', '-c', '"$@"; echo "exit code $?"; exec sleep 600', 'sh'];

export interface TmuxOptions {
  readonly columns: number;
  readonly rows: number;
  readonly env: Readonly<Record<string, string>>;
}

/** A program in a window of a tmux server of its own, which no settings of the user reach. */
export class TmuxWindow {
  readonly #folder: string;
  readonly #env: Readonly<Record<string, string>>;

  private constructor(folder: string, env: Readonly<Record<string, string>>) {
    this.#folder = folder;
    this.#env = env;
  }

  /** @throws {Error} naming the package where tmux is not installed. */
  static async open(command: readonly string[], { columns, rows, env }: TmuxOptions): Promise<TmuxWindow> {
    const window = new TmuxWindow(await mkdtemp(path.join(tmpdir(), 'svk-tmux-')), env);
    try {
      await writeFile(window.#settings, SETTINGS);
      const size = ['-x', String(columns), '-y', String(rows)];
      await window.#tmux('new-session', '-d', '-s', 'test', ...size, '--', ...SHOWING_ITS_END, ...command);
      return window;
    } catch (error) {
      await window.close();
      throw error;
    }
  }

  /** Another terminal of that size that shows this window, as `tmux attach`: the window takes its size. */
  attach(columns: number, rows: number): Promise<TmuxWindow> {
    const command = ['env', '-u', 'TMUX', 'tmux', '-S', this.#socket, 'attach'];
    return TmuxWindow.open(command, { columns, rows, env: this.#env });
  }

  /** What stands on the screen, and what has been scrolled out of it. */
  async screen(): Promise<string> {
    return this.#tmux('capture-pane', '-p', '-J', '-S', '-', '-t', 'test:0.0');
  }

  /** Waits until the screen shows this, and answers the group of it. */
  async shows(pattern: RegExp): Promise<string> {
    let screen = '';
    const isThere = async (): Promise<boolean> => {
      screen = await this.screen();
      return pattern.test(screen);
    };
    await waitFor(isThere, { withinMs: WITHIN_MS }).catch((cause: unknown) => {
      throw new Error(`${pattern} is not on the screen:\n${screen.trimEnd()}`, { cause });
    });
    return pattern.exec(screen)?.[1] ?? '';
  }

  /** Types a line, which must not end with a semicolon. */
  async type(line: string): Promise<void> {
    await this.#tmux('send-keys', '-t', 'test:0.0', '-l', line, ';', 'send-keys', '-t', 'test:0.0', 'Enter');
  }

  /** Presses keys by tmux's names, such as `C-c`. */
  async press(...keys: readonly string[]): Promise<void> {
    await this.#tmux('send-keys', '-t', 'test:0.0', ...keys);
  }

  async resize(columns: number, rows: number): Promise<void> {
    await this.#tmux('resize-window', '-t', 'test:0', '-x', String(columns), '-y', String(rows));
  }

  /** Puts another pane below; the program's keeps `rows`. */
  async split(rows: number): Promise<void> {
    await this.#tmux('split-window', '-d', '-t', 'test:0.0', '--', 'cat');
    await this.#tmux('resize-pane', '-t', 'test:0.0', '-y', String(rows));
  }

  /** The program's exit code, once it has ended. */
  async exitCode(): Promise<number> {
    return Number(await this.shows(/^exit code (\d+)$/m));
  }

  /** Closes the window with its program, which is hung up. */
  async kill(): Promise<void> {
    await this.#tmux('kill-window', '-t', 'test:0');
  }

  /** Ends the server and all that runs in it. */
  async close(): Promise<void> {
    await this.#tmux('kill-server').catch(() => undefined);
    await rm(this.#folder, { recursive: true, force: true });
  }

  get #socket(): string {
    return path.join(this.#folder, 'socket');
  }

  get #settings(): string {
    return path.join(this.#folder, 'tmux.conf');
  }

  async #tmux(...args: readonly string[]): Promise<string> {
    try {
      // -u: its terminals speak UTF-8 whatever the locale.
      const all = ['-u', '-S', this.#socket, '-f', this.#settings, ...args];
      return (await run('tmux', all, { env: this.#env })).stdout;
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error;
      throw new Error('tmux is not installed: the tests of terminals need it (Debian package: tmux)', { cause: error });
    }
  }
}
