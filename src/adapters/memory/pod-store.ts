import { ConflictError } from '../../core/errors.ts';
import type { PodWake } from '../../model/messages.ts';
import type { PodIdentity } from '../../model/pod-identity.ts';
import type { PodRow } from '../../model/pod-row.ts';
import type { Workload } from '../../model/workload.ts';
import type { ClaimRequest, KnownPod, PodStore, RowWrite } from '../../ports/pod-store.ts';
import { claimedRow, observedRow, releasedRow, savedRow, withState, wokenRow } from './pod-row-changes.ts';
import type { Rows } from './rows.ts';

/** Rows of pods for as long as the process lives. A row is never changed, only replaced: what was answered stays as it is. */
export class MemoryPodStore implements PodStore {
  readonly #rows: Rows<PodRow>;

  constructor(rows: Rows<PodRow> = new Map()) {
    this.#rows = rows;
  }

  async wake(wake: PodWake): Promise<'wanted' | 'unknown'> {
    const row = wokenRow(this.#rows.get(wake.uid), wake);
    if (row) this.#rows.set(wake.uid, row);
    return row ? 'wanted' : 'unknown';
  }

  async observe(workload: Workload): Promise<PodIdentity | undefined> {
    const before = workload.podUid === undefined ? undefined : this.#rows.get(workload.podUid);
    if (!before) return undefined;
    const row = observedRow(before, workload);
    if (row !== before) this.#rows.set(row.pod.uid, row);
    return row.wanted > row.seen ? row.pod : undefined;
  }

  async claim(podUid: string, { id, now, until }: ClaimRequest): Promise<PodRow | undefined> {
    const before = this.#rows.get(podUid);
    const other = before?.claim?.id === id ? undefined : before?.claim;
    if (!before || (other && other.until > now)) return undefined;
    const row = claimedRow(before, { id, until });
    this.#rows.set(podUid, row);
    return other ? { ...row, abandonedClaimUntil: other.until } : row;
  }

  async wakeAndClaim(wake: PodWake, claim: ClaimRequest): Promise<PodRow | undefined> {
    return this.#taken(this.#rows.get(wake.uid), (row) => wokenRow(row, wake), claim);
  }

  async observeAndClaim(workload: Workload, claim: ClaimRequest): Promise<PodRow | undefined> {
    const before = workload.podUid === undefined ? undefined : this.#rows.get(workload.podUid);
    const news = before && observedRow(before, workload);
    return news && news.wanted > (before?.wanted ?? 0) ? this.#taken(before, () => news, claim) : undefined;
  }

  async save(podUid: string, claimId: string, write: RowWrite): Promise<void> {
    this.#rows.set(podUid, savedRow(this.#held(podUid, claimId), write));
  }

  async release(
    podUid: string,
    claimId: string,
    write: RowWrite & { readonly renewUntil: number },
  ): Promise<PodRow | undefined> {
    const row = this.#held(podUid, claimId);
    if (row.wanted > row.seen) return this.#keep(withState(row, write), claimId, write.renewUntil);
    this.#rows.set(podUid, releasedRow(row, write));
    return undefined;
  }

  async forget(
    podUid: string,
    claimId: string,
    { renewUntil }: { readonly renewUntil: number },
  ): Promise<PodRow | undefined> {
    const row = this.#held(podUid, claimId);
    if (row.wanted > row.seen) return this.#keep(row, claimId, renewUntil);
    this.#rows.delete(podUid);
    return undefined;
  }

  async get(podUid: string): Promise<PodRow | undefined> {
    return this.#rows.get(podUid);
  }

  async knownPods(node: string): Promise<readonly KnownPod[]> {
    return [...this.#rows.values()].filter((row) => row.node === node).map(knownPodOf);
  }

  async takeDue({
    now,
    until,
    limit,
  }: {
    readonly now: number;
    readonly until: number;
    readonly limit: number;
  }): Promise<readonly KnownPod[]> {
    const due = [...this.#rows.values()]
      .filter((row) => dueAt(row) <= now)
      .sort((a, b) => dueAt(a) - dueAt(b))
      .slice(0, limit);
    return due.flatMap((proposed) => {
      const row = this.#rows.get(proposed.pod.uid);
      if (row?.nextCheckAt !== proposed.nextCheckAt || row === undefined) return [];
      this.#rows.set(row.pod.uid, { ...row, nextCheckAt: until });
      return [knownPodOf(row)];
    });
  }

  async postpone({ pod }: KnownPod, { from, to }: { readonly from: number; readonly to: number }): Promise<boolean> {
    const row = this.#rows.get(pod.uid);
    if (row?.nextCheckAt !== from || row.claim) return false;
    this.#rows.set(pod.uid, { ...row, nextCheckAt: to });
    return true;
  }

  /** Somebody has woken the pod meanwhile: its holder keeps it. */
  #keep(row: PodRow, id: string, until: number): PodRow {
    const kept = claimedRow(row, { id, until });
    this.#rows.set(row.pod.uid, kept);
    return kept;
  }

  #taken(
    before: PodRow | undefined,
    change: (row: PodRow | undefined) => PodRow | undefined,
    { id, until }: ClaimRequest,
  ): PodRow | undefined {
    const changed = before?.claim ? undefined : change(before);
    return changed && this.#keep(changed, id, until);
  }

  #held(podUid: string, claimId: string): PodRow {
    const row = this.#rows.get(podUid);
    if (row?.claim?.id !== claimId) throw new ConflictError(`the claim on pod ${podUid} is not ours any more`);
    return row;
  }
}

const dueAt = ({ nextCheckAt }: PodRow): number => nextCheckAt ?? Number.POSITIVE_INFINITY;

const knownPodOf = ({ pod, node, resourceVersion }: PodRow): KnownPod => ({
  pod,
  node,
  ...(resourceVersion !== undefined && { resourceVersion }),
});
