import type { Clock } from '../../../src/core/clock.ts';
import type { LaunchRequest, LaunchResult } from '../../../src/model/launch.ts';
import type { Workload } from '../../../src/model/workload.ts';
import type { Preparation } from '../../../src/ports/provider.ts';
import { type FakePrepared, FakeProvider } from './fake-provider.ts';
import { allContainers, withChange } from './fake-workload.ts';

/** Runs a pod the moment it is launched and ends it the moment it is told to, as a mock does. */
export class InstantProvider extends FakeProvider {
  readonly #clock: Clock;
  readonly #listeners = new Set<(workload: Workload) => void>();
  /** Present where it tells of its changes. */
  readonly watch?: (onChange: (workload: Workload) => void) => () => void;
  #nextIp = 1;

  constructor(clock: Clock, { tells = true }: { readonly tells?: boolean } = {}) {
    super(clock);
    this.#clock = clock;
    this.onChange = (workload) => {
      for (const listener of this.#listeners) listener(workload);
    };
    if (tells)
      this.watch = (onChange) => {
        this.#listeners.add(onChange);
        return () => this.#listeners.delete(onChange);
      };
  }

  override prepare(...args: Parameters<FakeProvider['prepare']>): Preparation<FakePrepared> {
    return { ...super.prepare(...args), summary: '' } as Preparation<FakePrepared>;
  }

  override async launch(request: LaunchRequest, signal?: AbortSignal): Promise<LaunchResult> {
    const result = await super.launch(request, signal);
    if (result.kind !== 'started' || result.workload.phase !== 'starting') return result;
    const { id } = result.workload;
    const workload = withChange(this.get(id), {
      phase: 'running',
      ips: [`10.0.0.${this.#nextIp++}`],
      startedAt: this.#clock.now(),
      containers: allContainers(this.get(id), ({ image }) => ({ image: image ?? '', state: 'running' })),
    });
    this.plant(workload);
    return { kind: 'started', workload };
  }
}
