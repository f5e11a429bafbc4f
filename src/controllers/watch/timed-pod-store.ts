import { Alarms } from '../../core/alarms.ts';
import type { Clock } from '../../core/clock.ts';
import type { PodWake } from '../../model/messages.ts';
import type { PodIdentity } from '../../model/pod-identity.ts';
import type { PodRow } from '../../model/pod-row.ts';
import type { Workload } from '../../model/workload.ts';
import type { ClaimRequest, KnownPod, PodStore, RowWrite } from '../../ports/pod-store.ts';

/**
 * The rows of another store, with a timer in this process for each `nextCheckAt` it writes: a pod is due to the moment,
 * without asking the timers index, and those of one moment are due together. The row stays the truth: timers written by
 * others, and those of a process that is gone, are found there.
 */
export class TimedPodStore implements PodStore {
  readonly #store: PodStore;
  readonly #alarms: Alarms<KnownPod>;
  readonly #due: KnownPod[] = [];

  constructor(store: PodStore, deps: { readonly clock: Clock; readonly onDue: (pods: readonly KnownPod[]) => void }) {
    this.#store = store;
    this.#alarms = new Alarms(deps.clock, (_uid, pod) => {
      if (this.#due.push(pod) > 1) return;
      queueMicrotask(() => deps.onDue(this.#due.splice(0)));
    });
  }

  wake(wake: PodWake): Promise<'wanted' | 'unknown'> {
    return this.#store.wake(wake);
  }

  observe(workload: Workload): Promise<PodIdentity | undefined> {
    return this.#store.observe(workload);
  }

  claim(podUid: string, claim: ClaimRequest): Promise<PodRow | undefined> {
    return this.#followed(this.#store.claim(podUid, claim));
  }

  wakeAndClaim(wake: PodWake, claim: ClaimRequest): Promise<PodRow | undefined> {
    return this.#followed(this.#store.wakeAndClaim(wake, claim));
  }

  observeAndClaim(workload: Workload, claim: ClaimRequest): Promise<PodRow | undefined> {
    return this.#followed(this.#store.observeAndClaim(workload, claim));
  }

  async save(podUid: string, claimId: string, write: RowWrite): Promise<void> {
    await this.#store.save(podUid, claimId, write);
    if (write.nextCheckAt !== undefined) this.#move(podUid, write.nextCheckAt);
  }

  async release(
    podUid: string,
    claimId: string,
    write: RowWrite & { readonly renewUntil: number },
  ): Promise<PodRow | undefined> {
    const row = await this.#store.release(podUid, claimId, write);
    if (row) this.#follow(row);
    else this.#move(podUid, write.nextCheckAt);
    return row;
  }

  async forget(podUid: string, claimId: string, options: { readonly renewUntil: number }): Promise<PodRow | undefined> {
    const row = await this.#store.forget(podUid, claimId, options);
    if (row) this.#follow(row);
    else this.#move(podUid, undefined);
    return row;
  }

  get(podUid: string): Promise<PodRow | undefined> {
    return this.#store.get(podUid);
  }

  knownPods(node: string): Promise<readonly KnownPod[]> {
    return this.#store.knownPods(node);
  }

  takeDue(options: Parameters<PodStore['takeDue']>[0]): Promise<readonly KnownPod[]> {
    return this.#store.takeDue(options);
  }

  async postpone(known: KnownPod, check: { readonly from: number; readonly to: number }): Promise<boolean> {
    const isMoved = await this.#store.postpone(known, check);
    if (isMoved) this.#alarms.set(known.pod.uid, check.to, known);
    return isMoved;
  }

  async #followed(claiming: Promise<PodRow | undefined>): Promise<PodRow | undefined> {
    const row = await claiming;
    if (row) this.#follow(row);
    return row;
  }

  /** Nobody is woken any more. */
  stop(): void {
    this.#alarms.stop();
  }

  #follow({ pod, node, nextCheckAt }: PodRow): void {
    if (nextCheckAt === undefined) this.#alarms.clear(pod.uid);
    else this.#alarms.set(pod.uid, nextCheckAt, { pod, node });
  }

  /** The claim before has set a timer, so that its pod is known here. */
  #move(podUid: string, at: number | undefined): void {
    const sleeper = this.#alarms.get(podUid)?.value;
    if (sleeper && at !== undefined) this.#alarms.set(podUid, at, sleeper);
    else this.#alarms.clear(podUid);
  }
}
