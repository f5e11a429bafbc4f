import type { Clock } from '../../core/clock.ts';
import { ConflictError } from '../../core/errors.ts';
import type { PodRow } from '../../model/pod-row.ts';
import type { PodStore, RowWrite } from '../../ports/pod-store.ts';
import { CLAIM_RESERVE_MS } from './timing.ts';

/** The claim ran out, or somebody else has it: whoever holds it now reads what we have written and goes on. */
export class ClaimLostError extends Error {
  override readonly name = 'ClaimLostError';
}

/**
 * The right to work on one pod until `until`. Before each effect `guard` is asked, synchronously: a holder that was stalled
 * past its claim must not act. `signal` aborts at the same moment, for requests that are under way.
 */
export class HeldClaim {
  readonly podUid: string;
  readonly id: string;
  readonly #store: PodStore;
  readonly #clock: Clock;
  readonly #outer: AbortSignal;
  #until: number;
  #timer = new AbortController();
  #signal: AbortSignal;

  constructor(options: {
    readonly podUid: string;
    readonly id: string;
    readonly until: number;
    readonly store: PodStore;
    readonly clock: Clock;
    readonly signal: AbortSignal;
  }) {
    this.podUid = options.podUid;
    this.id = options.id;
    this.#store = options.store;
    this.#clock = options.clock;
    this.#outer = options.signal;
    this.#until = options.until;
    this.#signal = this.#arm();
  }

  /** @throws {ClaimLostError} where too little of the claim is left for one more effect. */
  guard(): void {
    if (this.#clock.now() >= this.#until - CLAIM_RESERVE_MS)
      throw new ClaimLostError('too little of the claim is left');
    if (this.#outer.aborted) throw new ClaimLostError('the worker is ending', { cause: this.#outer.reason });
  }

  get signal(): AbortSignal {
    return this.#signal;
  }

  /** Writes the state in the middle of the work. @throws {ClaimLostError} where the claim is not ours any more. */
  async save(write: RowWrite): Promise<void> {
    await this.#ours(this.#store.save(this.podUid, this.id, write));
  }

  /** Ends the work; answers the row, kept by us until `renewUntil`, where somebody has woken the pod meanwhile. */
  release(write: RowWrite, renewUntil: number): Promise<PodRow | undefined> {
    return this.#renewable(renewUntil, this.#store.release(this.podUid, this.id, { ...write, renewUntil }));
  }

  /** Removes the row; answers it, kept by us until `renewUntil`, where somebody has woken the pod meanwhile. */
  forget(renewUntil: number): Promise<PodRow | undefined> {
    return this.#renewable(renewUntil, this.#store.forget(this.podUid, this.id, { renewUntil }));
  }

  /** Lets go of the timer. The row is not touched. */
  end(): void {
    this.#timer.abort('the work is over');
  }

  async #renewable(renewUntil: number, write: Promise<PodRow | undefined>): Promise<PodRow | undefined> {
    const row = await this.#ours(write);
    if (row) {
      this.#until = renewUntil;
      this.#signal = this.#arm();
    }
    return row;
  }

  /** A fresh signal for the claim as it now stands; the one before says nothing any more. */
  #arm(): AbortSignal {
    this.#timer.abort('the claim was renewed');
    const timer = new AbortController();
    const deadline = new AbortController();
    this.#timer = timer;
    const wait = this.#clock.sleep(Math.max(this.#until - CLAIM_RESERVE_MS - this.#clock.now(), 0), timer.signal);
    wait.then(
      () => deadline.abort(new ClaimLostError('too little of the claim is left')),
      () => undefined,
    );
    return AbortSignal.any([this.#outer, deadline.signal]);
  }

  async #ours<T>(write: Promise<T>): Promise<T> {
    try {
      return await write;
    } catch (error) {
      if (error instanceof ConflictError) throw new ClaimLostError('the claim is not ours any more', { cause: error });
      throw error;
    }
  }
}
