import type { IncomingMessage } from 'node:http';
import * as z from 'zod/mini';
import type { ContainerExit, ContainerUsage, OutputSink, RunningContainer, Terminal } from '../runtime.ts';
import { toContainerUsage } from './container-usage.ts';
import { DockerTerminal } from './docker-terminal.ts';
import type { EngineClient } from './engine-client.ts';
import { EngineError, messageOf, unlessGone } from './engine-error.ts';
import { startFailure } from './failure-words.ts';
import { OutputFrames } from './output-frames.ts';

interface Made {
  readonly engine: EngineClient;
  readonly id: string;
  readonly tty: boolean;
  readonly stopSignal: string;
}

const inspection = z.object({
  State: z.object({ Running: z.boolean(), ExitCode: z.int(), OOMKilled: z.boolean(), Error: z.optional(z.string()) }),
});
const created = z.object({ Id: z.string() });
const execution = z.object({ ExitCode: z.nullish(z.int()) });

/** How long output may keep coming once the engine has said that the container is gone. */
const drainMs = 2000;
/** An engine that broke off may be on its way back: it is asked again so often. */
const reconnects = { times: 5, everyMs: 1000, withinMs: 20_000 };
/** A container that outlives its SIGKILL for so long is given up. */
const killMs = 30_000;

/** One start of a container that the engine has made. */
export class DockerContainer implements RunningContainer {
  readonly exited: Promise<ContainerExit>;
  readonly #made: Made;
  readonly #givenUp: Promise<ContainerExit>;
  #giveUp: (exit: ContainerExit) => void = () => {};
  #lastWait: NodeJS.Timeout | undefined;
  #gone = false;

  private constructor(made: Made, followed: Followed, output: OutputSink) {
    this.#made = made;
    this.#givenUp = new Promise((resolve) => {
      this.#giveUp = resolve;
    });
    this.exited = Promise.race([this.#exit(followed, output), this.#givenUp]).finally(() => {
      this.#gone = true;
      clearTimeout(this.#lastWait);
    });
  }

  /** @throws {StartFailure} where it cannot be started, in the words of the container runtime. */
  static async start(made: Made, output: OutputSink): Promise<DockerContainer> {
    let followed: Followed | undefined;
    try {
      // Both before the start, so that neither a line nor the end is missed.
      followed = await follow(made, 'next-exit', output);
      await made.engine.call('POST', `/containers/${made.id}/start`);
    } catch (error) {
      followed?.leave();
      throw startFailure('start', error);
    }
    return new DockerContainer(made, followed, output);
  }

  terminate(): void {
    this.#signal(this.#made.stopSignal);
  }

  kill(): void {
    if (this.#gone) return;
    this.#signal('SIGKILL');
    const reason = `ContainerRuntimeTimeoutError: Could not transition to stopped; timed out after waiting ${killMs / 1000}s`;
    this.#lastWait ??= setTimeout(() => this.#giveUp({ reason }), killMs);
  }

  async exec(command: readonly string[], signal: AbortSignal): Promise<number | undefined> {
    const { engine, id } = this.#made;
    try {
      const body = { Cmd: command, AttachStdout: true, AttachStderr: true };
      const { Id } = z.parse(created, await engine.call('POST', `/containers/${id}/exec`, { body, signal }));
      const output = await engine.stream('POST', `/exec/${Id}/start`, { body: { Detach: false, Tty: false }, signal });
      await ended(output);
      const { ExitCode } = z.parse(execution, await engine.call('GET', `/exec/${Id}/json`, { signal }));
      return signal.aborted ? undefined : (ExitCode ?? undefined);
    } catch (error) {
      // What a shell answers for a command that cannot be run.
      return error instanceof EngineError && !signal.aborted ? 127 : undefined;
    }
  }

  openTerminal(command: readonly string[], output: OutputSink): Promise<Terminal> {
    const { engine, id } = this.#made;
    return DockerTerminal.start({ engine, id }, command, output);
  }

  async stats(signal: AbortSignal): Promise<unknown> {
    const { engine, id } = this.#made;
    return unlessGone(engine.call('GET', `/containers/${id}/stats`, { query: { stream: 'false' }, signal }));
  }

  async usage(signal: AbortSignal): Promise<ContainerUsage | undefined> {
    const { engine, id } = this.#made;
    // In one shot: the engine would else wait for a second reading.
    const query = { stream: 'false', 'one-shot': 'true' };
    return toContainerUsage(await unlessGone(engine.call('GET', `/containers/${id}/stats`, { query, signal })));
  }

  #signal(signal: string): void {
    if (this.#gone) return;
    const { engine, id } = this.#made;
    // Where the engine is gone, its end is what `exited` tells.
    engine.call('POST', `/containers/${id}/kill`, { query: { signal } }).catch(() => undefined);
  }

  async #exit(first: Followed, output: OutputSink): Promise<ContainerExit> {
    let followed = first;
    for (;;) {
      await followed.over;
      const verdict = await this.#verdict();
      if (verdict !== 'running') {
        await followed.drained(drainMs);
        return verdict;
      }
      followed.leave();
      followed = await follow(this.#made, 'not-running', output).catch(() => nothing);
    }
  }

  /** What the engine knows of the end. It is asked again for a while, since an engine may have been restarted. */
  async #verdict(): Promise<ContainerExit | 'running'> {
    const { engine, id } = this.#made;
    for (let tries = 1; ; tries += 1) {
      const signal = AbortSignal.timeout(reconnects.withinMs);
      try {
        const { State } = z.parse(inspection, await engine.call('GET', `/containers/${id}/json`, { signal }));
        return State.Running ? 'running' : exitOf(State);
      } catch (error) {
        if (error instanceof EngineError || tries === reconnects.times) {
          return { reason: `ContainerRuntimeError: ${messageOf(error)}` };
        }
        await new Promise((resolve) => setTimeout(resolve, reconnects.everyMs));
      }
    }
  }
}

/** The agent's words win over the exit code: where a child was killed the main process may have ended well. */
const exitOf = (state: z.output<typeof inspection>['State']): ContainerExit => ({
  exitCode: state.ExitCode,
  ...(state.OOMKilled && { reason: 'OutOfMemoryError: Container killed due to memory usage' }),
});

/** Two open streams: what the container writes, and the wait for its end. */
interface Followed {
  /** Resolves when the engine tells of the end, or breaks off. */
  readonly over: Promise<void>;
  /** Resolves when all output has been handed on, or after so many milliseconds. */
  drained(withinMs: number): Promise<void>;
  leave(): void;
}

const nothing: Followed = { over: Promise.resolve(), drained: () => Promise.resolve(), leave: () => {} };

const follow = async (
  { engine, id, tty }: Made,
  condition: 'next-exit' | 'not-running',
  output: OutputSink,
): Promise<Followed> => {
  const query = { stream: '1', stdout: '1', stderr: '1' };
  const written = await engine.stream('POST', `/containers/${id}/attach`, { query });
  const frames = new OutputFrames(output);
  written.on('data', (chunk: Buffer) => (tty ? output(chunk) : frames.push(chunk)));
  const finished = ended(written);
  try {
    const waiting = await engine.stream('POST', `/containers/${id}/wait`, { query: { condition } });
    waiting.resume();
    return {
      over: ended(waiting),
      drained: async (withinMs) => {
        const patience = setTimeout(() => written.destroy(), withinMs);
        await finished;
        clearTimeout(patience);
      },
      leave: () => {
        written.destroy();
        waiting.destroy();
      },
    };
  } catch (error) {
    written.destroy();
    throw error;
  }
};

/** Resolves with the stream's end, however it ends. */
const ended = (stream: IncomingMessage): Promise<void> =>
  new Promise((resolve) => {
    stream.on('error', () => undefined);
    stream.once('close', () => resolve());
    stream.resume();
  });
