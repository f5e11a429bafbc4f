import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { constants } from 'node:os';
import type { ContainerExit, ContainerUsage, OutputSink, RunningContainer, Terminal } from '../runtime.ts';
import { StartFailure } from '../runtime.ts';
import { usageOfGroup } from './group-usage.ts';
import { ProcessTerminal } from './process-terminal.ts';

interface Launch {
  readonly argv: readonly string[];
  readonly directory: string;
  /** All of the environment: nothing is inherited. */
  readonly environment: Readonly<Record<string, string>>;
}

interface ProcessEnd {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** How long output of escaped descendants may keep a dead process's pipes open. */
const drainMs = 1000;

/** One container as a local process, leader of its own process group. */
export class ProcessContainer implements RunningContainer {
  readonly exited: Promise<ContainerExit>;
  readonly #child: ChildProcess;
  readonly #launch: Launch;
  readonly #terminals = new Set<ProcessTerminal>();
  #gone = false;

  private constructor(child: ChildProcess, launch: Launch, output: OutputSink) {
    this.#child = child;
    this.#launch = launch;
    for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => output(chunk));
    // A signal that cannot be sent is an 'error' event, which would end our process.
    child.on('error', () => undefined);
    this.exited = this.#exit();
  }

  /** @throws {StartFailure} where the command cannot be started, in the words of the container runtime. */
  static async start(launch: Launch, output: OutputSink): Promise<ProcessContainer> {
    const child = spawnGroup(launch);
    try {
      await once(child, 'spawn');
    } catch (error) {
      throw new StartFailure(startFailureText(launch.argv[0] ?? '', error));
    }
    return new ProcessContainer(child, launch, output);
  }

  /** As a container engine does: the signal goes to the main process alone. */
  terminate(): void {
    if (!this.#gone) this.#child.kill('SIGTERM');
  }

  kill(): void {
    this.#killGroup();
  }

  async exec(command: readonly string[], signal: AbortSignal): Promise<number | undefined> {
    if (signal.aborted || this.#gone) return undefined;
    const child = spawnGroup({ ...this.#launch, argv: command });
    const end = (): void => killGroupOf(child);
    signal.addEventListener('abort', end, { once: true });
    child.stdout?.resume();
    child.stderr?.resume();
    try {
      const [code] = (await once(child, 'exit')) as [number | null];
      return signal.aborted ? undefined : (code ?? undefined);
    } catch {
      return 127;
    } finally {
      signal.removeEventListener('abort', end);
      killGroupOf(child);
    }
  }

  async usage(): Promise<ContainerUsage | undefined> {
    return this.#gone || this.#child.pid === undefined ? undefined : usageOfGroup(this.#child.pid);
  }

  async openTerminal(command: readonly string[], output: OutputSink): Promise<Terminal> {
    const { directory, environment } = this.#launch;
    const terminal = await ProcessTerminal.start({ command, directory, environment }, output);
    this.#terminals.add(terminal);
    void terminal.ended.then(() => this.#terminals.delete(terminal));
    if (this.#gone) terminal.kill();
    return terminal;
  }

  async #exit(): Promise<ContainerExit> {
    const closed = new Promise<void>((resolve) => this.#child.once('close', () => resolve()));
    const { code, signal } = await new Promise<ProcessEnd>((resolve) =>
      this.#child.once('exit', (code, signal) => resolve({ code, signal })),
    );
    this.#killGroup();
    this.#gone = true;
    const patience = setTimeout(() => {
      this.#child.stdout?.destroy();
      this.#child.stderr?.destroy();
    }, drainMs);
    await closed;
    clearTimeout(patience);
    return { exitCode: code ?? 128 + (signal ? constants.signals[signal] : 0) };
  }

  /** A container's end is the end of everything in it. */
  #killGroup(): void {
    if (!this.#gone) killGroupOf(this.#child);
    for (const terminal of this.#terminals) terminal.kill();
  }
}

const spawnGroup = ({ argv: [file = '', ...args], directory, environment }: Launch): ChildProcess =>
  spawn(file, args, { cwd: directory, env: { ...environment }, detached: true, stdio: ['ignore', 'pipe', 'pipe'] });

const killGroupOf = ({ pid }: ChildProcess): void => {
  if (pid === undefined) return;
  try {
    process.kill(-pid, 'SIGKILL');
  } catch {
    // The group is gone already.
  }
};

const startFailureText = (file: string, error: unknown): string => {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const cause =
    code === 'ENOENT'
      ? file.includes('/')
        ? `stat ${file}: no such file or directory`
        : 'executable file not found in $PATH'
      : code === 'EACCES'
        ? 'permission denied'
        : String(error);
  return `CannotStartContainerError: ResourceInitializationError: failed to create new container runtime task: failed to create shim task: OCI runtime create failed: runc create failed: unable to start container process: exec: "${file}": ${cause}: unknown`;
};
