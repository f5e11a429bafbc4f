import { PodController } from '../../src/controllers/pod/pod-controller.ts';
import type { PodDependencies } from '../../src/controllers/pod/pod-dependencies.ts';
import { type PodWork, PodWorker } from '../../src/controllers/pod/pod-worker.ts';
import { SvkError } from '../../src/core/errors.ts';
import { Process } from './process.ts';
import type { Weather } from './weather.ts';

/** An invocation that takes longer is killed, as by Lambda; its messages come back later. */
const LIFE_MS = 50_000;
const VISIBILITY_MS = 90_000;
const SIGNAL = new AbortController().signal;

/** Starts invocations, each a process of its own, and brings back what one has not finished. */
export class Invocations {
  /** What a process that starts now works with. */
  readonly #real: () => PodDependencies;
  readonly #weather: Weather;
  readonly #broken: (message: string) => void;
  readonly #busy = new Set<Process>();
  #count = 0;

  constructor(real: () => PodDependencies, weather: Weather, broken: (message: string) => void) {
    this.#real = real;
    this.#weather = weather;
    this.#broken = broken;
  }

  /** True while a process of ours may still do something: a stalled one, perhaps. */
  get isBusy(): boolean {
    return [...this.#busy].some((process) => process.isBusy);
  }

  /** One worker invocation. */
  work(items: readonly PodWork[]): void {
    let open: readonly PodWork[] = items;
    if (!this.#weather.down.has('us'))
      this.start('worker', async (it) => {
        const results = await new PodWorker(it, new PodController(it)).work(items, SIGNAL);
        open = items.filter((_, index) => results[index]?.ok !== true);
        for (const result of results) {
          if (!result.ok && !(result.error instanceof SvkError)) throw result.error;
        }
      });
    this.#weather.after(VISIBILITY_MS, () => {
      if (open.length > 0) this.work(open);
    });
  }

  start(kind: string, run: (dependencies: PodDependencies) => Promise<unknown>): void {
    const { chance, profile, after, down } = this.#weather;
    if (down.has('us')) return;
    this.#count += 1;
    const process = new Process(`${kind}#${this.#count}`, this.#weather);
    this.#busy.add(process);
    const finish = (): void => {
      process.finish();
      this.#busy.delete(process);
    };
    run(process.dependencies(this.#real())).then(finish, (error: unknown) => {
      finish();
      if (error instanceof SvkError) return;
      this.#broken(`${process.name}: ${error instanceof Error ? error.stack : String(error)}`);
    });
    // A frozen process may come back to life after its time: it is not killed, and must not do any harm then.
    if (!chance.befalls('process outlives its time', kind, profile.stalls * 20)) after(LIFE_MS, () => process.kill());
  }
}
