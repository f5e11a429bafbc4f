import type { Clock } from '../../../../src/core/clock.ts';
import type { ContainerExit, ContainerUsage, OutputSink, RunningContainer } from '../runtime.ts';
import type { Script } from './script.ts';

/** Plays a script in the given time. */
export class SimulatedContainer implements RunningContainer {
  readonly exited: Promise<ContainerExit>;
  readonly #clock: Clock;
  readonly #script: Script;
  readonly #startedAt: number;
  readonly #over = new AbortController();
  #end: (exit: ContainerExit) => void = () => {};

  constructor(script: Script, clock: Clock, output: OutputSink) {
    this.#clock = clock;
    this.#script = script;
    this.#startedAt = clock.now();
    this.exited = new Promise((resolve) => {
      this.#end = (exit) => {
        this.#over.abort(new Error('the container has ended'));
        resolve(exit);
      };
    });
    this.#play(output).catch(() => undefined);
  }

  terminate(): void {
    const reaction = this.#script.onTerminate;
    if (!reaction || this.#over.signal.aborted) return;
    const { afterMs, exitCode } = reaction;
    if (afterMs === 0) return this.#end({ exitCode });
    this.#clock.sleep(afterMs, this.#over.signal).then(
      () => this.#end({ exitCode }),
      () => undefined,
    );
  }

  kill(): void {
    this.#end({ exitCode: 137 });
  }

  async exec(_command: readonly string[], signal: AbortSignal): Promise<number | undefined> {
    if (signal.aborted) return undefined;
    const age = this.#clock.now() - this.#startedAt;
    return this.#script.health.findLast(({ fromMs }) => age >= fromMs)?.exitCode ?? 0;
  }

  async usage(): Promise<ContainerUsage | undefined> {
    const { use } = this.#script;
    if (!use || this.#over.signal.aborted) return undefined;
    const seconds = (this.#clock.now() - this.#startedAt) / 1000;
    return { cpuNanoSeconds: use.cores * seconds * 1e9, memoryBytes: use.memoryMiB * 1_048_576 };
  }

  async #play(output: OutputSink): Promise<void> {
    const { steps } = this.#script;
    for (let index = 0; index < steps.length; index += 1) {
      const step = steps[index];
      if (!step) return;
      switch (step.kind) {
        case 'wait':
          await this.#clock.sleep(step.ms, this.#over.signal);
          break;
        case 'print':
          if (this.#over.signal.aborted) return;
          output(Buffer.from(step.text));
          break;
        case 'exit': {
          const { kind: _, ...exit } = step;
          return this.#end(exit);
        }
        case 'loop':
          index = -1;
          break;
        default:
          step satisfies never;
      }
    }
  }
}
