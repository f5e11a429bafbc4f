import type { PodState } from '../../model/pod-row.ts';
import type { Workload } from '../../model/workload.ts';
import { absorb } from './attempts.ts';
import type { HeldClaim } from './held-claim.ts';
import type { PodDependencies } from './pod-dependencies.ts';
import { newestOf, type PodReading, type PodView } from './pod-view.ts';

/** Answers a `describe` that was made for several pods at once. */
export type Describe = PodDependencies['provider']['describe'];

/** One reconcile under way: the claim it holds and what it knows so far. Actions change what it knows. */
export class PodSync {
  readonly claim: HeldClaim;
  readonly dependencies: PodDependencies;
  readonly describe: Describe;
  #view: PodView;

  /** `describe`: where given, asked instead of the provider. */
  constructor(claim: HeldClaim, dependencies: PodDependencies, view: PodView, describe?: Describe) {
    this.claim = claim;
    this.dependencies = dependencies;
    this.#view = view;
    this.describe = describe ?? ((ids, signal) => dependencies.provider.describe(ids, signal));
  }

  get signal(): AbortSignal {
    return this.claim.signal;
  }

  get now(): number {
    return this.dependencies.clock.now();
  }

  /** What is known, at this moment. */
  get view(): PodView {
    return { ...this.#view, now: this.now };
  }

  know(facts: Partial<Omit<PodView, 'now' | 'identity' | 'node'>>): void {
    this.#view = { ...this.#view, ...facts };
  }

  get state(): PodState {
    return this.#view.state;
  }

  /** The pod as it was read or answered last. */
  read(pod: PodReading): void {
    this.know({ pod });
  }

  /** Takes in workloads the provider has just answered. */
  observed(workloads: readonly Workload[]): void {
    const own = workloads.filter(({ podUid }) => podUid === this.#view.identity.uid);
    this.know({
      workloads: newestOf([...this.#view.workloads, ...own]),
      state: absorb(this.state, own, { now: this.now, fresh: true }),
    });
  }

  /** Writes the state as it stands. */
  save(): Promise<void> {
    return this.claim.save({ state: this.state });
  }
}
