import type { Random } from '../../src/core/clock.ts';
import type { Workload } from '../../src/model/workload.ts';
import type { FakeProvider } from '../fakes/provider/fake-provider.ts';
import type { Profile } from './profile.ts';

type After = (ms: number, act: () => void) => void;

/** What happens to workloads by themselves: they start, run, end, fail, and are forgotten an hour later. */
export class Fargate {
  readonly #provider: FakeProvider;
  readonly #random: Random;
  readonly #after: After;
  readonly #profile: () => Profile;
  readonly #stopping = new Set<string>();

  constructor(provider: FakeProvider, random: Random, after: After, profile: () => Profile) {
    this.#provider = provider;
    this.#random = random;
    this.#after = after;
    this.#profile = profile;
    provider.stopsAtOnce = false;
  }

  /** Every change of a workload comes by here. */
  changed(workload: Workload): void {
    if (workload.version === 1) this.#begin(workload.id);
    if (workload.phase === 'stopping' && !this.#stopping.has(workload.id)) {
      this.#stopping.add(workload.id);
      const exitCode = this.#chance(0.5) ? 143 : 0;
      this.#after(this.#ms(500, 40_000), () =>
        this.#ifLive(workload.id, () => this.#provider.exit(workload.id, exitCode)),
      );
    }
    if (workload.phase === 'stopped') this.#after(65 * 60_000, () => this.#provider.forget(workload.id));
  }

  #begin(id: string): void {
    if (this.#chance(this.#profile().hidden)) this.#hide(id);
    if (this.#chance(this.#profile().hidden)) this.#after(this.#ms(60_000, 600_000), () => this.#hide(id));
    // Sometimes so soon that the news comes while the one before is still being worked on.
    const runsAt = this.#chance(0.3) ? this.#ms(500, 3_000) : this.#ms(20_000, 50_000);
    this.#after(runsAt * this.#random.next(), () => this.#ifLive(id, () => this.#provider.pull(id)));
    if (this.#chance(this.#profile().misfortunes * 0.5)) {
      const reason = this.#chance(0.7) ? 'ErrImagePull' : 'CreateContainerConfigError';
      this.#after(runsAt, () => this.#ifLive(id, () => this.#provider.failToStart(id, reason, 'simulated')));
      return;
    }
    this.#after(runsAt, () => this.#ifLive(id, () => this.#provider.run(id)));
    const endsAt = runsAt + this.#ms(100, 600_000);
    if (this.#chance(this.#profile().misfortunes * 0.3)) {
      this.#after(endsAt, () =>
        this.#ifLive(id, () => this.#provider.disrupt(id, 'SpotInterruption', 'simulated', 143)),
      );
    } else if (this.#chance(0.7)) {
      const exitCode = this.#chance(0.5) ? 0 : 1;
      this.#after(endsAt, () => this.#ifLive(id, () => this.#provider.exit(id, exitCode)));
    }
  }

  #hide(id: string): void {
    this.#provider.hide(id);
    this.#after(this.#ms(1_000, 110_000), () => this.#provider.show(id));
  }

  #ifLive(id: string, act: () => void): void {
    if (this.#provider.workloads().some((workload) => workload.id === id && workload.phase !== 'stopped')) act();
  }

  #chance(probability: number): boolean {
    return this.#random.next() < probability;
  }

  #ms(least: number, most: number): number {
    return Math.floor(least + this.#random.next() * (most - least));
  }
}
