import type { Clock } from '../../../src/core/clock.ts';
import { stableJson } from '../../../src/core/digest.ts';
import { ConflictError } from '../../../src/core/errors.ts';
import type { PodWake } from '../../../src/model/messages.ts';
import type { PodIdentity } from '../../../src/model/pod-identity.ts';
import type { PodRow } from '../../../src/model/pod-row.ts';
import type { Workload } from '../../../src/model/workload.ts';
import type { KnownPod, PodStore, RowWrite } from '../../../src/ports/pod-store.ts';
import { EventualIndex } from './eventual-index.ts';
import { clone, type StoreHook } from './hook.ts';

/** Pods' rows in memory, by the rules of the port. Every value goes in and comes out as a JSON copy. */
export class FakePodStore implements PodStore {
  /** Runs before a method touches anything: throw or stall here. */
  before: StoreHook<PodStore> | undefined;
  /** Runs after a method has done its work and before it answers: throw here to lose an answer. */
  after: StoreHook<PodStore> | undefined;

  readonly #rows = new Map<string, PodRow>();
  readonly #index: EventualIndex<PodRow>;

  /** `indexDelayMs`: how far `knownPods` and `takeDue` lag behind the rows; needs `clock`. */
  constructor(options: { readonly clock?: Clock; readonly indexDelayMs?: number } = {}) {
    this.#index = new EventualIndex(options.clock, options.indexDelayMs ?? 0);
  }

  /** Every row as it stands, for assertions. */
  rows(): readonly PodRow[] {
    return clone([...this.#rows.values()]);
  }

  /** Puts a row as a test wants it; the indexes follow. */
  seed(row: PodRow): void {
    this.#write(row.pod.uid, row);
  }

  /** Loses every row, as a table does that was deleted. */
  clear(): void {
    for (const uid of this.#rows.keys()) this.#delete(uid);
  }

  wake(wake: PodWake): Promise<'wanted' | 'unknown'> {
    return this.#call('wake', [wake], () => {
      const row = this.#rows.get(wake.uid);
      if (row) {
        this.#write(wake.uid, { ...row, wanted: row.wanted + 1 });
        return 'wanted';
      }
      const { uid, namespace, name, node } = wake;
      if (!['bind', 'resync', 'watch'].includes(wake.reason) || node === undefined) return 'unknown';
      this.#write(uid, {
        pod: { namespace, name, uid },
        node,
        wanted: 1,
        seen: 0,
        observations: {},
        state: { attempts: [], restarts: {} },
      });
      return 'wanted';
    });
  }

  observe(workload: Workload): Promise<PodIdentity | undefined> {
    return this.#call('observe', [workload], () => {
      const row = workload.podUid === undefined ? undefined : this.#rows.get(workload.podUid);
      if (!row) return undefined;
      const known = row.observations[workload.id];
      if (!known || known.version < workload.version) {
        const says = !known || contentOf(known) !== contentOf(workload);
        this.#write(row.pod.uid, {
          ...row,
          wanted: row.wanted + (says ? 1 : 0),
          observations: { ...row.observations, [workload.id]: workload },
        });
      }
      const { wanted, seen, pod } = this.#get(row.pod.uid);
      return wanted > seen ? clone(pod) : undefined;
    });
  }

  claim(
    podUid: string,
    claim: { readonly id: string; readonly now: number; readonly until: number },
  ): Promise<PodRow | undefined> {
    return this.#call('claim', [podUid, claim], () => {
      const row = this.#rows.get(podUid);
      if (!row) return undefined;
      const other = row.claim?.id === claim.id ? undefined : row.claim;
      if (other && other.until > claim.now) return undefined;
      this.#write(podUid, {
        ...row,
        claim: { id: claim.id, until: claim.until },
        seen: row.wanted,
        nextCheckAt: claim.until,
      });
      return { ...this.#get(podUid), ...(other && { abandonedClaimUntil: other.until }) };
    });
  }

  save(podUid: string, claimId: string, write: RowWrite): Promise<void> {
    return this.#call('save', [podUid, claimId, write], () => {
      const row = this.#held(podUid, claimId);
      this.#write(podUid, {
        ...row,
        ...written(write),
        ...(write.nextCheckAt !== undefined && { nextCheckAt: write.nextCheckAt }),
        ...(write.claimUntil !== undefined && { claim: { id: claimId, until: write.claimUntil } }),
      });
    });
  }

  release(
    podUid: string,
    claimId: string,
    write: RowWrite & { readonly renewUntil: number },
  ): Promise<PodRow | undefined> {
    return this.#call('release', [podUid, claimId, write], () => {
      const row = this.#held(podUid, claimId);
      if (row.wanted !== row.seen) return this.#renew(row, claimId, write.renewUntil, written(write));
      const { claim: _claim, nextCheckAt: _nextCheckAt, ...rest } = row;
      this.#write(
        podUid,
        pruned({
          ...rest,
          ...written(write),
          ...(write.nextCheckAt !== undefined && { nextCheckAt: write.nextCheckAt }),
        }),
      );
      return undefined;
    });
  }

  forget(podUid: string, claimId: string, options: { readonly renewUntil: number }): Promise<PodRow | undefined> {
    return this.#call('forget', [podUid, claimId, options], () => {
      const row = this.#held(podUid, claimId);
      if (row.wanted !== row.seen) return this.#renew(row, claimId, options.renewUntil, {});
      this.#delete(podUid);
      return undefined;
    });
  }

  get(podUid: string): Promise<PodRow | undefined> {
    return this.#call('get', [podUid], () => clone(this.#rows.get(podUid)));
  }

  knownPods(node: string): Promise<readonly KnownPod[]> {
    return this.#call('knownPods', [node], () =>
      this.#index
        .values()
        .filter((row) => row.node === node)
        .map(knownPodOf),
    );
  }

  takeDue(options: {
    readonly now: number;
    readonly until: number;
    readonly limit: number;
  }): Promise<readonly KnownPod[]> {
    return this.#call('takeDue', [options], () => {
      const due = this.#index
        .values()
        .filter((row) => dueAt(row) <= options.now)
        .sort((a, b) => dueAt(a) - dueAt(b))
        .slice(0, options.limit);
      return due.flatMap((proposed) => {
        const row = this.#rows.get(proposed.pod.uid);
        if (!row || row.nextCheckAt !== proposed.nextCheckAt) return [];
        this.#write(row.pod.uid, { ...row, nextCheckAt: options.until });
        return [knownPodOf(row)];
      });
    });
  }

  async #call<T>(method: keyof PodStore, args: readonly unknown[], work: () => T): Promise<T> {
    await this.before?.(method, args);
    const answer = work();
    await this.after?.(method, args);
    return answer;
  }

  #renew(row: PodRow, claimId: string, until: number, fields: Partial<PodRow>): PodRow {
    this.#write(row.pod.uid, {
      ...row,
      ...fields,
      seen: row.wanted,
      nextCheckAt: until,
      claim: { id: claimId, until },
    });
    return this.#get(row.pod.uid);
  }

  #held(podUid: string, claimId: string): PodRow {
    const row = this.#rows.get(podUid);
    if (row?.claim?.id !== claimId) throw new ConflictError(`the claim on pod ${podUid} is not ours any more`);
    return row;
  }

  #get(podUid: string): PodRow {
    const row = this.#rows.get(podUid);
    if (!row) throw new Error(`no row of pod ${podUid}`);
    return clone(row);
  }

  #write(podUid: string, row: PodRow): void {
    const copy = clone(row);
    this.#rows.set(podUid, copy);
    this.#index.put(podUid, copy);
  }

  #delete(podUid: string): void {
    this.#rows.delete(podUid);
    this.#index.put(podUid, undefined);
  }
}

const written = ({ state, resourceVersion }: RowWrite): Partial<PodRow> => ({
  state,
  ...(resourceVersion !== undefined && { resourceVersion }),
});

const pruned = (row: PodRow): PodRow => {
  const oldest = Math.min(...row.state.attempts.map(({ attempt }) => attempt));
  const kept = Object.entries(row.observations).filter(
    ([, { phase, attempt }]) => phase !== 'stopped' || row.state.attempts.length === 0 || attempt >= oldest,
  );
  return { ...row, observations: Object.fromEntries(kept) };
};

const contentOf = (workload: Workload): string => stableJson({ ...workload, version: 0 });

const dueAt = (row: PodRow): number => row.nextCheckAt ?? Number.POSITIVE_INFINITY;

const knownPodOf = ({ pod, node, resourceVersion }: PodRow): KnownPod =>
  clone({ pod, node, ...(resourceVersion !== undefined && { resourceVersion }) });
