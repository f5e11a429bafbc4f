import { DuePods, type DuePodsDependencies } from './due-pods.ts';

/** A due pod is offered again after so long, should its wake get lost. */
const OFFER_AGAIN_MS = 60_000;
const BATCH = 100;

/** Starts what is due: back-offs, deadlines, checks. Called by every beat. */
export class TimerController {
  readonly #dependencies: DuePodsDependencies;
  readonly #duePods: DuePods;

  constructor(dependencies: DuePodsDependencies) {
    this.#dependencies = dependencies;
    this.#duePods = new DuePods(dependencies);
  }

  /** Brings on every pod whose time has come. Answers how many. */
  async startDue(signal: AbortSignal): Promise<number> {
    const { podStore, clock } = this.#dependencies;
    let started = 0;
    for (;;) {
      const now = clock.now();
      const due = await podStore.takeDue({ now, until: now + OFFER_AGAIN_MS, limit: BATCH });
      if (due.length === 0) return started;
      await this.#duePods.start(due, signal);
      started += due.length;
      if (due.length < BATCH) return started;
    }
  }
}
