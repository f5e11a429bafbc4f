import type { Workload } from '../../src/model/workload.ts';
import type { FakeProvider } from '../fakes/provider/fake-provider.ts';
import { isProbed } from './users.ts';
import type { Weather } from './weather.ts';

/** What happens to workloads by themselves: they start, run, end, fail, and are forgotten an hour later. */
export class Fargate {
  /** True: what runs goes on running. */
  isStill = false;
  readonly #provider: FakeProvider;
  readonly #weather: Weather;
  readonly #stopping = new Set<string>();

  constructor(provider: FakeProvider, weather: Weather) {
    this.#provider = provider;
    this.#weather = weather;
    provider.stopsAtOnce = false;
  }

  /** Every change of a workload comes by here. */
  changed(workload: Workload): void {
    const { id } = workload;
    if (workload.version === 1) this.#begin(id);
    if (workload.phase === 'stopping' && !this.#stopping.has(id)) {
      this.#stopping.add(id);
      const exitCode = this.#odds(`obeys ${id}`, 0.5) ? 143 : 0;
      // What never ran has no exit code.
      this.#later(id, this.#ms(`stops ${id}`, 500, 40_000), () =>
        this.#provider.exit(id, this.#provider.get(id).startedAt === undefined ? undefined : exitCode),
      );
    }
    if (workload.phase === 'stopped') this.#weather.after(65 * 60_000, () => this.#provider.forget(id));
  }

  #begin(id: string): void {
    const { hidden, misfortunes } = this.#weather.profile;
    if (this.#befalls('hidden at first', id, hidden)) this.#hide(id);
    if (this.#befalls('hidden later', id, hidden)) {
      this.#weather.after(this.#ms(`hides ${id}`, 60_000, 600_000), () => this.#hide(id));
    }
    // Sometimes so soon that the news comes while the one before is still being worked on.
    const isFast = this.#odds(`fast ${id}`, 0.3);
    const runsAt = isFast ? this.#ms(`runs ${id}`, 500, 3_000) : this.#ms(`runs ${id}`, 20_000, 50_000);
    this.#later(id, this.#ms(`pulls ${id}`, 0, runsAt), () => this.#provider.pull(id));
    if (this.#befalls('start fails', id, misfortunes * 0.5)) {
      const reason = this.#odds(`pull fails ${id}`, 0.7) ? 'ErrImagePull' : 'CreateContainerConfigError';
      this.#later(id, runsAt, () => this.#provider.failToStart(id, reason, 'simulated'));
      return;
    }
    this.#later(id, runsAt, () => this.#provider.run(id));
    if (isProbed(this.#provider.get(id).podUid ?? '')) this.#check(id, runsAt);
    const endsAt = runsAt + this.#ms(`ends ${id}`, 100, 600_000);
    if (this.#befalls('taken away', id, misfortunes * 0.3)) {
      this.#end(id, endsAt, () => this.#provider.disrupt(id, 'SpotInterruption', 'simulated', 143));
    } else if (this.#odds(`ends by itself ${id}`, 0.7)) {
      const exitCode = this.#odds(`succeeds ${id}`, 0.5) ? 0 : 1;
      this.#end(id, endsAt, () => this.#provider.exit(id, exitCode));
    }
  }

  /** A check that passes after a while, and may fail for a while later. Nobody is told of it. */
  #check(id: string, runsAt: number): void {
    this.#healthAt(id, runsAt, 'unknown');
    const passesAt = runsAt + this.#ms(`passes ${id}`, 1_000, 60_000);
    this.#healthAt(id, passesAt, 'healthy');
    if (!this.#befalls('check fails', id, this.#weather.profile.misfortunes)) return;
    const failsAt = passesAt + this.#ms(`fails ${id}`, 1_000, 200_000);
    this.#healthAt(id, failsAt, 'unhealthy');
    if (this.#odds(`recovers ${id}`, 0.5))
      this.#healthAt(id, failsAt + this.#ms(`recovers after ${id}`, 1_000, 120_000), 'healthy');
  }

  #healthAt(id: string, ms: number, health: 'healthy' | 'unhealthy' | 'unknown'): void {
    this.#later(id, ms, () => {
      if (!this.isStill && this.#provider.get(id).phase === 'running')
        this.#provider.setHealth(id, health, { silently: true });
    });
  }

  #hide(id: string): void {
    this.#provider.hide(id);
    this.#weather.after(this.#ms(`hidden ${id}`, 1_000, 110_000), () => this.#provider.show(id));
  }

  #end(id: string, ms: number, act: () => void): void {
    this.#later(id, ms, () => {
      if (!this.isStill) act();
    });
  }

  #later(id: string, ms: number, act: () => void): void {
    this.#weather.after(ms, () => {
      if (this.#provider.workloads().some((workload) => workload.id === id && workload.phase !== 'stopped')) act();
    });
  }

  #befalls(kind: string, id: string, probability: number): boolean {
    return this.#weather.chance.befalls(kind, id, probability);
  }

  #odds(question: string, probability: number): boolean {
    return this.#weather.chance.draw(question) < probability;
  }

  #ms(question: string, least: number, most: number): number {
    return this.#weather.chance.amount(question, least, most);
  }
}
