import type { Clock } from '../../core/clock.ts';
import { ConflictError } from '../../core/errors.ts';
import type { PodWake } from '../../model/messages.ts';
import type { PodIdentity } from '../../model/pod-identity.ts';
import type { PodRow } from '../../model/pod-row.ts';
import type { Workload } from '../../model/workload.ts';
import type { ClaimRequest, KnownPod, PodStore, RowWrite } from '../../ports/pod-store.ts';
import { assignments, LIVE, READABLE, takingUpdate, values, wakeUpdate } from './pod-expressions.ts';
import { contentHash, isExpired, observationEntry, parseKnownPod, parsePodRow } from './pod-item.ts';
import { prunableObservations } from './prune.ts';
import {
  KNOWN_PODS_INDEX,
  knownPodsPartitions,
  podKey,
  SCHEMA_VERSION,
  TIMERS_INDEX,
  timersPartition,
  timersPartitions,
} from './schema.ts';
import type { Item, Table, Update } from './table.ts';

export interface DynamoPodStoreOptions {
  readonly table: Table;
  readonly clock: Clock;
  /** Names the Kubernetes cluster (or the deployment) in the keys. */
  readonly cluster: string;
  /** Partitions of the timers index: 1 up to about 1,000 pods. Must be the same in all functions. */
  readonly timerShards?: number;
}

/** Rows of pods on DynamoDB. Unless the port says otherwise each method is one request; a refused condition may cost a second. */
export class DynamoPodStore implements PodStore {
  readonly #table: Table;
  readonly #clock: Clock;
  readonly #cluster: string;
  readonly #shards: number;

  constructor({ table, clock, cluster, timerShards = 1 }: DynamoPodStoreOptions) {
    this.#table = table;
    this.#clock = clock;
    this.#cluster = cluster;
    this.#shards = timerShards;
  }

  async wake(wake: PodWake): Promise<'wanted' | 'unknown'> {
    // The old row comes back only so that one of a newer layout is noticed.
    const written = await this.#table.update(podKey(wake.uid), {
      ...wakeUpdate(wake, { cluster: this.#cluster, seconds: this.#seconds() }),
      returns: 'ALL_OLD',
    });
    return written.ok ? 'wanted' : 'unknown';
  }

  async observe(workload: Workload): Promise<PodIdentity | undefined> {
    if (workload.podUid === undefined) return undefined;
    const pk = podKey(workload.podUid);
    const written = await this.#table.update(pk, { ...this.#observation(workload), returns: 'ALL_OLD' });
    const before = written.ok ? written.item : await this.#table.get(pk);
    if (!before || isExpired(before, this.#clock.now())) return undefined;
    const row = parsePodRow(before);
    const known = row.observations[workload.id];
    const says = written.ok && (!known || contentHash(known) !== contentHash(workload));
    return says || row.wanted > row.seen ? row.pod : undefined;
  }

  async claim(podUid: string, { id, now, until }: ClaimRequest): Promise<PodRow | undefined> {
    const written = await this.#table.update(podKey(podUid), {
      update: 'SET #claimId = :id, #claimUntil = :until, #seen = #wanted, #nextCheckAt = :until, #timerPk = :timers',
      condition: `${READABLE} AND ${LIVE} AND (attribute_not_exists(#claimId) OR #claimId = :id OR #claimUntil <= :now)`,
      values: {
        ':id': id,
        ':now': now,
        ':until': until,
        ':timers': this.#timers(podUid),
        ':schema': SCHEMA_VERSION,
        ':seconds': this.#seconds(),
      },
      returns: 'ALL_OLD',
    });
    if (!written.ok || !written.item) return undefined;
    const before = parsePodRow(written.item);
    return {
      ...before,
      seen: before.wanted,
      claim: { id, until },
      nextCheckAt: until,
      ...(before.claim && before.claim.id !== id && { abandonedClaimUntil: before.claim.until }),
    };
  }

  wakeAndClaim(wake: PodWake, claim: ClaimRequest): Promise<PodRow | undefined> {
    const update = wakeUpdate(wake, { cluster: this.#cluster, seconds: this.#seconds() });
    return this.#take(wake.uid, takingUpdate(update, claim, this.#taking(wake.uid)));
  }

  async observeAndClaim(workload: Workload, claim: ClaimRequest): Promise<PodRow | undefined> {
    if (workload.podUid === undefined) return undefined;
    const { update, condition, ...rest } = this.#observation(workload);
    const news = `${condition} AND attribute_not_exists(#observations.#workload.#content.#hash)`;
    const taking = takingUpdate({ update, condition: news, ...rest }, claim, this.#taking(workload.podUid));
    return this.#take(workload.podUid, taking);
  }

  async #take(podUid: string, update: Update): Promise<PodRow | undefined> {
    const written = await this.#table.update(podKey(podUid), { ...update, returns: 'ALL_NEW' });
    return written.ok && written.item ? parsePodRow(written.item) : undefined;
  }

  async save(podUid: string, claimId: string, write: RowWrite): Promise<void> {
    const written = await this.#table.update(podKey(podUid), {
      update: `SET ${assignments(write).join(', ')}`,
      condition: '#claimId = :id',
      values: { ':id': claimId, ...values(write, this.#timers(podUid)) },
    });
    if (!written.ok) throw lostClaim(podUid);
  }

  async release(
    podUid: string,
    claimId: string,
    write: RowWrite & { readonly renewUntil: number },
  ): Promise<PodRow | undefined> {
    const { renewUntil, claimUntil: _claimUntil, ...fields } = write;
    const removed = [
      '#claimId',
      '#claimUntil',
      ...(fields.nextCheckAt === undefined ? ['#nextCheckAt', '#timerPk'] : []),
    ];
    const written = await this.#table.update(podKey(podUid), {
      update: `SET ${assignments(fields).join(', ')} REMOVE ${removed.join(', ')}`,
      condition: '#claimId = :id AND #wanted = #seen',
      values: { ':id': claimId, ...values(fields, this.#timers(podUid)) },
      returns: 'ALL_NEW',
    });
    if (!written.ok)
      return this.#renew(podUid, claimId, { ...fields, nextCheckAt: renewUntil, claimUntil: renewUntil });
    if (written.item) await this.#prune(podUid, parsePodRow(written.item));
    return undefined;
  }

  async forget(
    podUid: string,
    claimId: string,
    { renewUntil }: { readonly renewUntil: number },
  ): Promise<PodRow | undefined> {
    const deleted = await this.#table.delete(podKey(podUid), {
      condition: '#claimId = :id AND #wanted = #seen',
      values: { ':id': claimId },
    });
    return deleted.ok ? undefined : this.#renew(podUid, claimId, { nextCheckAt: renewUntil, claimUntil: renewUntil });
  }

  async get(podUid: string): Promise<PodRow | undefined> {
    const item = await this.#table.get(podKey(podUid));
    return item && !isExpired(item, this.#clock.now()) ? parsePodRow(item) : undefined;
  }

  #taking(podUid: string): { readonly timers: string; readonly seconds: number } {
    return { timers: this.#timers(podUid), seconds: this.#seconds() };
  }

  #observation(workload: Workload): Update {
    return {
      update:
        'SET #wanted = #wanted + if_not_exists(#observations.#workload.#content.#hash, :one), #observations.#workload = :entry',
      condition: `${READABLE} AND ${LIVE} AND (attribute_not_exists(#observations.#workload) OR #observations.#workload.#version < :version)`,
      names: { '#workload': workload.id, '#hash': contentHash(workload) },
      values: {
        ':one': 1,
        ':entry': observationEntry(workload),
        ':version': workload.version,
        ':schema': SCHEMA_VERSION,
        ':seconds': this.#seconds(),
      },
    };
  }

  /** Four small queries, at once. */
  async knownPods(node: string): Promise<readonly KnownPod[]> {
    const partitions = await Promise.all(
      knownPodsPartitions(this.#cluster, node).map((partition) =>
        this.#table.query(KNOWN_PODS_INDEX, '#kpPk = :partition', { ':partition': partition }),
      ),
    );
    return partitions.flat().map(parseKnownPod);
  }

  /** One query a shard, then one conditional write a pod. */
  async takeDue({
    now,
    until,
    limit,
  }: {
    readonly now: number;
    readonly until: number;
    readonly limit: number;
  }): Promise<readonly KnownPod[]> {
    const shards = await Promise.all(
      timersPartitions(this.#shards).map((partition) =>
        this.#table.query(
          TIMERS_INDEX,
          '#timerPk = :partition AND #nextCheckAt <= :now',
          { ':partition': partition, ':now': now },
          limit,
        ),
      ),
    );
    const due = shards
      .flat()
      .sort((a, b) => Number(a['nextCheckAt']) - Number(b['nextCheckAt']))
      .slice(0, limit);
    const taken = await Promise.all(due.map((item) => this.#moveAhead(item, until)));
    return due.filter((_, index) => taken[index]).map(parseKnownPod);
  }

  async #moveAhead(item: Item, until: number): Promise<boolean> {
    const { ok } = await this.#table.update(String(item['pk']), {
      update: 'SET #nextCheckAt = :until',
      condition: `#nextCheckAt = :proposed AND ${LIVE}`,
      values: { ':until': until, ':proposed': item['nextCheckAt'], ':seconds': this.#seconds() },
    });
    return ok;
  }

  async postpone({ pod }: KnownPod, { from, to }: { readonly from: number; readonly to: number }): Promise<boolean> {
    const { ok } = await this.#table.update(podKey(pod.uid), {
      update: 'SET #nextCheckAt = :to',
      condition: `#nextCheckAt = :from AND attribute_not_exists(#claimId) AND ${LIVE}`,
      values: { ':from': from, ':to': to, ':seconds': this.#seconds() },
    });
    return ok;
  }

  async #renew(podUid: string, claimId: string, write: Partial<RowWrite>): Promise<PodRow> {
    const written = await this.#table.update(podKey(podUid), {
      update: `SET ${['#seen = #wanted', ...assignments(write)].join(', ')}`,
      condition: '#claimId = :id',
      values: { ':id': claimId, ...values(write, this.#timers(podUid)) },
      returns: 'ALL_NEW',
    });
    if (!written.ok || !written.item) throw lostClaim(podUid);
    return parsePodRow(written.item);
  }

  /** Only a pod that has restarted more than once pays this write. */
  async #prune(podUid: string, row: PodRow): Promise<void> {
    const ids = prunableObservations(row);
    if (ids.length === 0) return;
    // The release has succeeded and must be answered so; what stays is removed by the next one.
    await ignoreErrors(
      this.#table.update(podKey(podUid), {
        update: `REMOVE ${ids.map((_, index) => `#observations.#w${index}`).join(', ')}`,
        condition: 'attribute_exists(#pk)',
        names: Object.fromEntries(ids.map((id, index) => [`#w${index}`, id])),
      }),
    );
  }

  #timers(podUid: string): string {
    return timersPartition(podUid, this.#shards);
  }

  #seconds(): number {
    return Math.floor(this.#clock.now() / 1000);
  }
}

const lostClaim = (podUid: string): ConflictError =>
  new ConflictError(`the claim on pod ${podUid} is not ours any more`);

const ignoreErrors = async (promise: Promise<unknown>): Promise<void> => {
  await Promise.allSettled([promise]);
};
