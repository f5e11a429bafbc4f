import { MemoryPodStore } from '../../../src/adapters/memory/pod-store.ts';
import type { Clock } from '../../../src/core/clock.ts';
import type { PodWake } from '../../../src/model/messages.ts';
import type { PodIdentity } from '../../../src/model/pod-identity.ts';
import type { PodRow } from '../../../src/model/pod-row.ts';
import type { Workload } from '../../../src/model/workload.ts';
import type { ClaimRequest, KnownPod, PodStore, RowWrite } from '../../../src/ports/pod-store.ts';
import { Hooked } from './hook.ts';
import { LaggingRows } from './lagging-rows.ts';

/** The store in memory, for tests that break it, look into it, or let its indexes lag. Values go in and out as frozen JSON. */
export class FakePodStore extends Hooked<PodStore> implements PodStore {
  readonly #rows: LaggingRows<PodRow>;
  readonly #store: MemoryPodStore;

  /** `indexDelayMs`: how far `knownPods` and `takeDue` lag behind the rows; needs `clock`. */
  constructor(options: { readonly clock?: Clock; readonly indexDelayMs?: number } = {}) {
    super();
    this.#rows = new LaggingRows(options.clock, options.indexDelayMs ?? 0);
    this.#store = new MemoryPodStore(this.#rows);
  }

  /** Every row as it stands, for assertions. */
  rows(): readonly PodRow[] {
    return this.#rows.all();
  }

  /** Puts a row as a test wants it; the indexes follow. */
  seed(row: PodRow): void {
    this.#rows.set(row.pod.uid, row);
  }

  /** Loses every row, as a table does that was deleted. */
  clear(): void {
    this.#rows.clear();
  }

  wake(wake: PodWake): Promise<'wanted' | 'unknown'> {
    return this.call('wake', [wake], () => this.#store.wake(wake));
  }

  observe(workload: Workload): Promise<PodIdentity | undefined> {
    return this.call('observe', [workload], () => this.#store.observe(workload));
  }

  claim(podUid: string, claim: ClaimRequest): Promise<PodRow | undefined> {
    return this.call('claim', [podUid, claim], () => this.#store.claim(podUid, claim));
  }

  wakeAndClaim(wake: PodWake, claim: ClaimRequest): Promise<PodRow | undefined> {
    return this.call('wakeAndClaim', [wake, claim], () => this.#store.wakeAndClaim(wake, claim));
  }

  observeAndClaim(workload: Workload, claim: ClaimRequest): Promise<PodRow | undefined> {
    return this.call('observeAndClaim', [workload, claim], () => this.#store.observeAndClaim(workload, claim));
  }

  save(podUid: string, claimId: string, write: RowWrite): Promise<void> {
    return this.call('save', [podUid, claimId, write], () => this.#store.save(podUid, claimId, write));
  }

  release(
    podUid: string,
    claimId: string,
    write: RowWrite & { readonly renewUntil: number },
  ): Promise<PodRow | undefined> {
    return this.call('release', [podUid, claimId, write], () => this.#store.release(podUid, claimId, write));
  }

  forget(podUid: string, claimId: string, options: { readonly renewUntil: number }): Promise<PodRow | undefined> {
    return this.call('forget', [podUid, claimId, options], () => this.#store.forget(podUid, claimId, options));
  }

  get(podUid: string): Promise<PodRow | undefined> {
    return this.call('get', [podUid], () => this.#store.get(podUid));
  }

  knownPods(node: string): Promise<readonly KnownPod[]> {
    return this.call('knownPods', [node], () => this.#store.knownPods(node));
  }

  takeDue(options: Parameters<PodStore['takeDue']>[0]): Promise<readonly KnownPod[]> {
    return this.call('takeDue', [options], () => this.#store.takeDue(options));
  }

  postpone(known: KnownPod, check: { readonly from: number; readonly to: number }): Promise<boolean> {
    return this.call('postpone', [known.pod.uid, check], () => this.#store.postpone(known, check));
  }
}
