import type { PodRow } from '../../model/pod-row.ts';
import type { ClaimRequest, PodStore } from '../../ports/pod-store.ts';
import type { Expectation } from './expectation.ts';
import { ClaimLostError, HeldClaim } from './held-claim.ts';
import { stateOf } from './observe.ts';
import { dueForCheck } from './plan/watch.ts';
import type { PodDependencies } from './pod-dependencies.ts';
import { runRound } from './pod-round.ts';
import type { Describe } from './pod-sync.ts';
import { CLAIM_MS, MAX_RENEWALS } from './timing.ts';

/** A pod under our claim, not worked on yet. */
export interface ClaimedPod {
  readonly row: PodRow;
  readonly claim: HeldClaim;
  /** Workloads nobody has told us of for too long: best read together with those of other pods. */
  readonly due: readonly string[];
  /** The pod is over and only its workload, on its way out, has made itself heard: there is nothing to read. */
  readonly isQuiet: boolean;
}

/** What the caller knows of why a pod is claimed: so many observations, and nothing else. */
export interface ClaimReason {
  readonly observations: number;
}

/** How a claim is made. */
export type Take = (store: PodStore, request: ClaimRequest) => Promise<PodRow | undefined>;

/** Reconciles pods: claim, observe, plan, act, release. Any number of these may run side by side. */
export class PodController {
  readonly #dependencies: PodDependencies;

  constructor(dependencies: PodDependencies) {
    this.#dependencies = dependencies;
  }

  /** Brings the pod on. Does nothing where another holder is at it (who will see the wake), or where there is no row. */
  async reconcile(podUid: string, signal: AbortSignal): Promise<void> {
    const claimed = await this.claim(podUid, signal);
    if (claimed) await this.run(claimed);
  }

  /** Takes the pod for us, by `take` where a message can be entered in the same write. Must be followed by {@link run}. */
  async claim(
    podUid: string,
    signal: AbortSignal,
    reason?: ClaimReason,
    take: Take = (store, request) => store.claim(podUid, request),
  ): Promise<ClaimedPod | undefined> {
    const { podStore, clock, random } = this.#dependencies;
    const now = clock.now();
    const id = random.uuid();
    const until = now + CLAIM_MS;
    const row = await take(podStore, { id, now, until });
    if (!row) return undefined;
    const claim = new HeldClaim({ podUid, id, until, store: podStore, clock, signal });
    const wakes = row.wanted - (row.state.handled ?? 0);
    const isQuiet = row.state.finished !== undefined && wakes <= (reason?.observations ?? 0) && !isLive(row);
    return { row, claim, isQuiet, due: dueForCheck({ state: stateOf(row, now), now }) };
  }

  /**
   * Works on a claimed pod until nothing is left to do, and at most MAX_RENEWALS times more for wakes that came meanwhile;
   * then the queue carries it on. Resolves also where the claim is lost or an outside system fails: the row says when to
   * try again. Rejects for bugs only. In the first pass `describe` is asked instead of the provider, and the pod is read
   * again while it does not show what the wake has seen coming (`expects`).
   */
  async run(
    { row, claim, isQuiet }: ClaimedPod,
    first: { readonly describe?: Describe; readonly expects?: Expectation | undefined } = {},
  ): Promise<void> {
    const { logger } = this.#dependencies;
    try {
      let woken: PodRow | undefined = row;
      for (let renewals = 0; woken; renewals += 1) {
        const isLast: boolean = renewals === MAX_RENEWALS;
        woken = await runRound(this.#dependencies, claim, woken, {
          isLast,
          isQuiet: isQuiet && renewals === 0,
          ...(renewals === 0 && first),
        });
        if (woken && isLast) return await this.#passOn(woken, claim.signal);
      }
    } catch (error) {
      if (!(error instanceof ClaimLostError)) throw error;
      logger.info('pod left to its next holder', { pod: row.pod, cause: error.message });
    } finally {
      claim.end();
    }
  }

  /** The claim has been let go; a new message takes the pod up again. */
  async #passOn({ pod, node }: PodRow, signal: AbortSignal): Promise<void> {
    await this.#dependencies.queue.send([{ message: { v: 1, kind: 'wake', reason: 'requeue', ...pod, node } }], signal);
  }
}

/** Something of the pod runs on, as far as anybody has told. */
const isLive = ({ observations }: PodRow): boolean =>
  Object.values(observations).some(({ phase, stopping }) => phase !== 'stopped' && !stopping);
