import { PodController } from '../../src/controllers/pod/pod-controller.ts';
import type { PodDependencies } from '../../src/controllers/pod/pod-dependencies.ts';
import { type PodWork, PodWorker } from '../../src/controllers/pod/pod-worker.ts';
import { SvkError } from '../../src/core/errors.ts';
import type { Invariants } from './invariants.ts';
import { Process, type Weather } from './process.ts';

/** An invocation that takes longer is killed, as by Lambda; its messages come back later. */
const LIFE_MS = 50_000;
const VISIBILITY_MS = 90_000;
const SIGNAL = new AbortController().signal;

/** Starts invocations, each a process of its own, and brings back what one has not finished. */
export class Invocations {
  readonly #real: PodDependencies;
  readonly #weather: Weather;
  readonly #invariants: Invariants;
  #count = 0;

  constructor(real: PodDependencies, weather: Weather, invariants: Invariants) {
    this.#real = real;
    this.#weather = weather;
    this.#invariants = invariants;
  }

  /** One worker invocation. */
  work(items: readonly PodWork[]): void {
    let open: readonly PodWork[] = items;
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
    this.#count += 1;
    const process = new Process(`${kind}#${this.#count}`, this.#weather);
    run(process.dependencies(this.#real)).then(
      () => process.finish(),
      (error: unknown) => {
        process.finish();
        if (error instanceof SvkError) return;
        this.#invariants.broken(`${process.name}: ${error instanceof Error ? error.stack : String(error)}`);
      },
    );
    const { random, profile, after } = this.#weather;
    // A frozen process may come back to life after its time: it is not killed, and must not do any harm then.
    if (random.next() >= profile.stalls * 20) after(LIFE_MS, () => process.kill());
  }
}
