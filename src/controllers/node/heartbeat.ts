import type { Clock } from '../../core/clock.ts';
import { withDeadline } from '../../core/deadline.ts';
import { PermanentError } from '../../core/errors.ts';
import type { Beat } from '../../model/messages.ts';
import type { LogFields, Logger } from '../../ports/logger.ts';
import { type BeatScheduler, SLOT_MS } from './beat-scheduler.ts';
import type { LeaseController, LeaseInspection } from './lease-controller.ts';
import type { NodeController } from './node-controller.ts';
import type { NodeDefinition, Renewer } from './node-definition.ts';

/** A lease this old when the schedule comes means that beats from neither queue arrive. */
const STUCK_AFTER_MS = 25_000;
const SCHEDULE_MS = 60_000;
const MAINTENANCE_DEADLINE_MS = 30_000;
/** Short enough that the run can still beat in time where nothing could be sent. */
const SEND_DEADLINE_MS = 15_000;
/** Below the interval of the beats: what hangs must not hold up the next one. */
const BEAT_DEADLINE_MS = 9_000;

/** Keeps the nodes of a deployment alive: a run each minute, and a beat every ten seconds between. */
export class Heartbeat {
  readonly #nodes: readonly NodeDefinition[];
  readonly #controller: NodeController;
  readonly #leases: LeaseController;
  readonly #beats: BeatScheduler;
  readonly #onBeat: (signal: AbortSignal) => Promise<void>;
  readonly #onLease: (lease: LeaseInspection) => void;
  readonly #clock: Clock;
  readonly #logger: Logger;

  constructor(deps: {
    readonly nodes: readonly NodeDefinition[];
    readonly controller: NodeController;
    readonly leases: LeaseController;
    readonly beats: BeatScheduler;
    /** What else a beat starts: due timers. */
    readonly onBeat: (signal: AbortSignal) => Promise<void>;
    /** Told of every lease as a scheduled run finds it. */
    readonly onLease?: (lease: LeaseInspection) => void;
    readonly clock: Clock;
    readonly logger: Logger;
  }) {
    this.#nodes = deps.nodes;
    this.#controller = deps.controller;
    this.#leases = deps.leases;
    this.#beats = deps.beats;
    this.#onBeat = deps.onBeat;
    this.#onLease = deps.onLease ?? (() => undefined);
    this.#clock = deps.clock;
    this.#logger = deps.logger;
  }

  /**
   * The run of each minute: renews at once, sends beats ahead, registers or repairs the nodes and writes their status.
   * Where beats do not arrive or cannot be sent it goes on beating itself until the next run is due. Every part is tried,
   * whatever happens to the others.
   * @throws {AggregateError} of what failed; as the cause of a {@link PermanentError} where one of it was permanent.
   */
  async scheduled(signal: AbortSignal): Promise<void> {
    const end = this.#clock.now() + SCHEDULE_MS;
    const sent = this.#part('beats not sent', {}, SEND_DEADLINE_MS, signal, (limit) => this.#beats.sendAhead(limit));
    const renewal = await this.#inspectAndRenew(signal);
    const rest = await Promise.all([
      sent,
      ...this.#nodes.map((node) => this.#maintain(node, signal)),
      ...(renewal.stuck
        ? [this.#beatUntil(end, signal)]
        : [sent.then((failure) => failure && this.#beatUntil(end, signal))]),
    ]);
    const failures = [...renewal.failures, ...rest].filter((failure) => failure !== undefined);
    if (failures.length > 0) throw toFailure(failures);
  }

  /** One beat: renews due leases of all nodes, and starts what else is due. Never fails: the next beat is the retry. */
  beat(beat: Beat, signal: AbortSignal): Promise<void> {
    return this.#beat(beat.slot, 'beat', signal);
  }

  async #beat(slot: number, by: Renewer, signal: AbortSignal): Promise<void> {
    await Promise.all([
      this.#leases.renewDue(this.#nodes, by, signal),
      this.#part('timers not started', { slot }, BEAT_DEADLINE_MS, signal, (limit) => this.#onBeat(limit)),
    ]);
  }

  async #inspectAndRenew(
    signal: AbortSignal,
  ): Promise<{ readonly stuck: boolean; readonly failures: readonly Error[] }> {
    const inspections = await this.#leases.inspect(this.#nodes, signal);
    for (const inspection of inspections) this.#onLease(inspection);
    const failures = await this.#leases.renewDue(this.#nodes, 'schedule', signal);
    const stuck = inspections.filter(isStuck);
    if (stuck.length > 0) this.#logger.error('beats do not arrive', { leases: stuck });
    return { stuck: stuck.length > 0, failures };
  }

  #maintain(node: NodeDefinition, signal: AbortSignal): Promise<Error | undefined> {
    return this.#part('node not maintained', { node: node.name }, MAINTENANCE_DEADLINE_MS, signal, async (limit) => {
      const registered = await this.#controller.reconcile(node, limit);
      await this.#leases.ensureOwner(node, registered, limit);
    });
  }

  async #beatUntil(end: number, signal: AbortSignal): Promise<undefined> {
    for (let next = this.#clock.now() + SLOT_MS; next < end; next += SLOT_MS) {
      try {
        await this.#clock.sleep(Math.max(0, next - this.#clock.now()), signal);
      } catch {
        // The invocation ends: the next run goes on.
        return;
      }
      await this.#beat(Math.floor(next / SLOT_MS) * SLOT_MS, 'schedule', signal);
    }
  }

  async #part(
    what: string,
    fields: LogFields,
    ms: number,
    signal: AbortSignal,
    act: (limit: AbortSignal) => Promise<void>,
  ): Promise<Error | undefined> {
    try {
      await withDeadline(this.#clock, { ms, what, signal }, act);
      return undefined;
    } catch (cause) {
      this.#logger.error(what, { ...fields, error: cause });
      return cause instanceof Error ? cause : new Error(what, { cause });
    }
  }
}

/** What only the operator can mend comes first: whoever reads credentials must hear that they were refused. */
const toFailure = (failures: readonly Error[]): Error => {
  const all = new AggregateError(failures, 'heartbeat: some parts failed, see its log');
  const permanent = failures.find((failure) => failure instanceof PermanentError);
  return permanent ? new PermanentError(permanent.message, { cause: all }) : all;
};

/** A lease last renewed by an earlier run says so too: that run's own beating must not hide that none else came. */
const isStuck = ({ ageMs, renewedBy }: LeaseInspection): boolean =>
  ageMs !== undefined && (ageMs > STUCK_AFTER_MS || renewedBy === 'schedule');
