import { dispositionOf } from '../../core/errors.ts';
import type { PodRow } from '../../model/pod-row.ts';
import type { Workload } from '../../model/workload.ts';
import type { KnownPod } from '../../ports/pod-store.ts';
import type { Provider } from '../../ports/provider.ts';
import { currentAttempt } from './attempts.ts';
import { concurrently } from './concurrently.ts';
import { isAsKnown } from './health.ts';
import { checkAt } from './plan/watch.ts';
import type { PodDependencies } from './pod-dependencies.ts';
import { BEAT_MS } from './timing.ts';

/** So many workloads the provider describes in one call. */
const DESCRIBE_BATCH = 100;
/** So many rows are read or written at once. */
const CONCURRENCY = 50;

export interface DuePodsDependencies extends Pick<PodDependencies, 'podStore' | 'queue' | 'clock' | 'logger'> {
  readonly provider: Pick<Provider, 'describe'>;
  /** Told of every workload that was read. */
  readonly onRead?: (workloads: readonly Workload[]) => void;
}

/** A pod of which only the running workload is to be read again. */
interface Reread {
  readonly due: KnownPod;
  readonly row: PodRow;
  readonly known: Workload;
}

/**
 * Brings on the pods whose time has come. Those of which only a running workload is to be read again, for its health or
 * because it has been silent for long, are read together, and nobody else hears of one that is as it was.
 */
export class DuePods {
  readonly #dependencies: DuePodsDependencies;

  constructor(dependencies: DuePodsDependencies) {
    this.#dependencies = dependencies;
  }

  /** A pod about which anything fails is woken or looked at with a later beat. @throws what the queue throws. */
  async start(due: readonly KnownPod[], signal: AbortSignal): Promise<void> {
    const rereads = await concurrently(due, CONCURRENCY, (pod) => this.#rereadOf(pod));
    const woken = due.filter((_, index) => rereads[index] === undefined);
    const all = rereads.filter((reread) => reread !== undefined);
    for (let start = 0; start < all.length; start += DESCRIBE_BATCH)
      woken.push(...(await this.#changed(all.slice(start, start + DESCRIBE_BATCH), signal)));
    if (woken.length > 0)
      await this.#dependencies.queue.send(
        woken.map(({ pod, node }) => ({ message: { v: 1, kind: 'wake', reason: 'timer', ...pod, node } })),
        signal,
      );
  }

  /** Undefined where there is more to be done about the pod, or it is not known what. */
  async #rereadOf(due: KnownPod): Promise<Reread | undefined> {
    const { podStore, clock, logger } = this.#dependencies;
    try {
      const row = await podStore.get(due.pod.uid);
      const known = row && rereadOnly(row, clock.now());
      return row && known && { due, row, known };
    } catch (error) {
      logger.warn('row of a due pod not read; the pod is woken', { pod: due.pod, error });
      return undefined;
    }
  }

  /** Reads these in one call. Answers the pods that must be worked on; the others are put off. */
  async #changed(rereads: readonly Reread[], signal: AbortSignal): Promise<readonly KnownPod[]> {
    const { provider, logger, onRead } = this.#dependencies;
    const read = new Map<string, Workload>();
    try {
      const { workloads } = await provider.describe(
        rereads.map(({ known }) => known.id),
        signal,
      );
      onRead?.(workloads);
      for (const workload of workloads) read.set(workload.id, workload);
    } catch (error) {
      if (signal.aborted) throw error;
      // Asking one by one would be no gentler: what was throttled, or does not answer, is asked again with the next beat.
      logger.warn('workloads not read again', { workloads: rereads.length, error });
      if (dispositionOf(error) === 'permanent') return rereads.map(({ due }) => due);
      await this.#putOff(rereads, nextBeatAfter);
      return [];
    }
    const asKnown = rereads.filter(({ known }) => {
      const workload = read.get(known.id);
      return workload !== undefined && isAsKnown(known, workload);
    });
    await this.#putOff(asKnown, nextRereadAt);
    return rereads.filter((reread) => !asKnown.includes(reread)).map(({ due }) => due);
  }

  /** One that cannot be put off is offered again, or was taken up by somebody. */
  async #putOff(rereads: readonly Reread[], next: (row: PodRow, now: number) => number): Promise<void> {
    const { podStore, clock, logger } = this.#dependencies;
    await concurrently(rereads, CONCURRENCY, async ({ due, row }) => {
      const to = Math.min(next(row, clock.now()), row.state.rereadOnly?.otherwiseAt ?? Number.POSITIVE_INFINITY);
      try {
        if (row.nextCheckAt !== undefined) await podStore.postpone(due, { from: row.nextCheckAt, to });
      } catch (error) {
        logger.warn('check of a pod not put off', { pod: row.pod, error });
      }
    });
  }
}

/** The workload as the row knows it, where reading that again is all that is due and nobody is at the pod. */
const rereadOnly = ({ state, claim, wanted }: PodRow, now: number): Workload | undefined => {
  const { rereadOnly: reread, handled } = state;
  const isAlone = reread !== undefined && claim === undefined && wanted === handled;
  return isAlone && now < (reread.otherwiseAt ?? Number.POSITIVE_INFINITY)
    ? currentAttempt(state)?.observed
    : undefined;
};

const nextBeatAfter = (_row: PodRow, now: number): number => now + BEAT_MS;

const nextRereadAt = ({ state }: PodRow, now: number): number => {
  const attempt = currentAttempt(state);
  return (attempt && checkAt({ ...attempt, seenAt: now }, state)) ?? now + BEAT_MS;
};
