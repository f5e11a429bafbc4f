import type { Socket } from 'node:net';
import * as z from 'zod/mini';
import { type OutputSink, StartFailure, type Terminal } from '../runtime.ts';
import { terminalEnvironment } from '../terminal-environment.ts';
import type { EngineClient } from './engine-client.ts';
import { messageOf } from './engine-error.ts';
import { type ExecMark, killExec, newExecMark } from './kill-exec.ts';

interface Place {
  readonly engine: EngineClient;
  /** The container's id. */
  readonly id: string;
}

const created = z.object({ Id: z.string() });
const configured = z.object({ Config: z.object({ Env: z.nullish(z.array(z.string())) }) });
const execution = z.object({ Running: z.boolean(), ExitCode: z.nullish(z.int()), Pid: z.int() });

/** How often the engine is asked whether the command has started. */
const askEveryMs = 20;

/** What the engine made of a command. */
interface Exec {
  readonly id: string;
  readonly mark: ExecMark;
  readonly socket: Socket;
}

/** A command in a terminal inside a container, by the engine's exec. */
export class DockerTerminal implements Terminal {
  readonly ended: Promise<void>;
  readonly #place: Place;
  readonly #exec: Exec;
  #gone = false;

  private constructor(place: Place, exec: Exec, ended: Promise<void>) {
    this.#place = place;
    this.#exec = exec;
    this.ended = ended.then(() => {
      this.#gone = true;
    });
  }

  /** @throws {StartFailure} where the command cannot be started, in Go's words. */
  static async start(place: Place, command: readonly string[], output: OutputSink): Promise<DockerTerminal> {
    const { engine, id } = place;
    const mark = newExecMark();
    try {
      const { Config } = z.parse(configured, await engine.call('GET', `/containers/${id}/json`));
      const body = {
        Cmd: command,
        Env: Object.entries({ ...addedTo(Config.Env ?? []), ...mark.environment }).map(
          ([name, value]) => `${name}=${value}`,
        ),
        AttachStdin: true,
        AttachStdout: true,
        AttachStderr: true,
        Tty: true,
        User: '0:0',
      };
      const { Id } = z.parse(created, await engine.call('POST', `/containers/${id}/exec`, { body }));
      const socket = await engine.upgrade(`/exec/${Id}/start`, { Detach: false, Tty: true });
      return await DockerTerminal.#follow(place, { id: Id, mark, socket }, command[0] ?? '', output);
    } catch (error) {
      if (error instanceof StartFailure) throw error;
      throw new StartFailure(`Failed to start pty: ${messageOf(error)}`);
    }
  }

  /** What comes before the engine knows of a process is its own reason why there is none. */
  static async #follow(place: Place, exec: Exec, name: string, output: OutputSink): Promise<DockerTerminal> {
    const { id, socket } = exec;
    const early: Buffer[] = [];
    let sink: OutputSink = (chunk) => void early.push(Buffer.from(chunk));
    socket.on('data', (chunk: Buffer) => sink(chunk));
    const ended = new Promise<void>((resolve) => {
      socket.on('error', () => undefined);
      socket.once('close', () => resolve());
    });
    if (!(await started(place.engine, id))) {
      await ended;
      throw new StartFailure(`Failed to start pty: ${inGosWords(name, Buffer.concat(early).toString('utf8'))}`);
    }
    for (const chunk of early) output(chunk);
    sink = output;
    return new DockerTerminal(place, exec, ended);
  }

  write(data: Uint8Array): void {
    if (!this.#gone) this.#exec.socket.write(data);
  }

  resize(columns: number, rows: number): void {
    const query = { h: String(rows), w: String(columns) };
    // The command may be gone by now.
    this.#place.engine.call('POST', `/exec/${this.#exec.id}/resize`, { query }).catch(() => undefined);
  }

  pause(): void {
    this.#exec.socket.pause();
  }

  resume(): void {
    this.#exec.socket.resume();
  }

  kill(): void {
    if (this.#gone) return;
    const { engine, id: containerId } = this.#place;
    const { id: execId, mark, socket } = this.#exec;
    socket.resume();
    // Where it cannot be killed its terminal is closed at least, and it ends with the container.
    void killExec(engine, { containerId, execId, mark }).finally(() => socket.destroySoon());
  }
}

/** Variables that the agent adds to those of the container and its image. */
const addedTo = (environment: readonly string[]): Readonly<Record<string, string>> =>
  terminalEnvironment(environment.some((pair) => /^LANG=./.test(pair)));

const started = async (engine: EngineClient, execId: string): Promise<boolean> => {
  for (;;) {
    const { Running, ExitCode, Pid } = z.parse(execution, await engine.call('GET', `/exec/${execId}/json`));
    if (Pid !== 0) return true;
    if (!Running && typeof ExitCode === 'number') return false;
    await new Promise((resolve) => setTimeout(resolve, askEveryMs));
  }
};

/** `OCI runtime exec failed: … exec: "x": executable file not found in $PATH` -> what the agent says. */
const inGosWords = (name: string, text: string): string => {
  const reason = /(no such file or directory|permission denied|exec format error)/.exec(text)?.[1];
  if (!name.includes('/') && text.includes('executable file not found')) {
    return `exec: "${name}": executable file not found in $PATH`;
  }
  return reason === undefined ? text.trim() : `fork/exec ${name}: ${reason}`;
};
