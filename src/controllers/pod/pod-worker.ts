import type { PodWake } from '../../model/messages.ts';
import type { PodIdentity } from '../../model/pod-identity.ts';
import type { Described } from '../../ports/provider.ts';
import { concurrently } from './concurrently.ts';
import { type Expectation, expectationOf } from './expectation.ts';
import { lookAgain } from './look-again.ts';
import type { ClaimedPod, ClaimReason, PodController } from './pod-controller.ts';
import type { PodDependencies } from './pod-dependencies.ts';
import { NOTHING, type PodMessage, withoutSuperseded } from './pod-messages.ts';
import type { Describe } from './pod-sync.ts';

/** One message of a batch: a wake of ours, or whatever the provider's notifications look like. */
export type PodWork =
  | { readonly kind: 'wake'; readonly wake: PodWake }
  | { readonly kind: 'notification'; readonly notification: unknown };

/** What became of one message. A failed one is to be delivered again. */
export type PodWorkResult = { readonly ok: true } | { readonly ok: false; readonly error: unknown };

/** So many pods of a batch are worked on at once. */
const CONCURRENCY = 10;
/** So many workloads the provider describes in one call. */
const DESCRIBE_BATCH = 100;

/** Takes a batch of messages: wakes first become durable, then each pod is reconciled once. */
export class PodWorker {
  readonly #dependencies: PodDependencies;
  readonly #controller: PodController;

  constructor(dependencies: PodDependencies, controller: PodController) {
    this.#dependencies = dependencies;
    this.#controller = controller;
  }

  /** One result for each item, in order; one bad item never holds up another. */
  async work(items: readonly PodWork[], signal: AbortSignal): Promise<readonly PodWorkResult[]> {
    const messages = withoutSuperseded(items.map((item) => this.#read(item)));
    const entered = await concurrently(messages, CONCURRENCY, (message) => attempt(() => this.#enter(message)));
    const reasons = reasonsByPod(messages, entered);
    const uids = [...reasons.keys()];
    const expected = expectationsOf(items);
    const claims = await concurrently(uids, CONCURRENCY, (uid) =>
      attempt(() => this.#claim(uid, expected.get(uid), signal, reasons.get(uid))),
    );
    const claimed = claims.flatMap((one) => (one.ok && one.value ? one.value : []));
    const describe = this.#describeAtOnce(claimed, signal);
    const runs = await concurrently(claimed, CONCURRENCY, (pod) => {
      const { uid } = pod.row.pod;
      const expects = expected.get(uid)?.expects;
      return attempt(() => this.#controller.run(pod, { describe, expects })).then((run) => [uid, run] as const);
    });

    const failures = new Map<string, unknown>();
    for (const [index, claim] of claims.entries()) if (!claim.ok) failures.set(uids[index] ?? '', claim.error);
    for (const [uid, run] of runs) if (!run.ok) failures.set(uid, run.error);
    return entered.map((one): PodWorkResult => {
      if (!one.ok) return one;
      const failed = one.value !== undefined && failures.has(one.value);
      return failed ? { ok: false, error: failures.get(one.value) } : { ok: true };
    });
  }

  #read(item: PodWork): PodMessage {
    if (item.kind === 'wake') return item;
    const workload = this.#dependencies.provider.observationOf(item.notification);
    return workload ? { kind: 'observation', workload } : NOTHING;
  }

  /** Makes the message durable. The UID of the pod to be reconciled, undefined where nothing is new. */
  async #enter(message: PodMessage): Promise<string | undefined> {
    const { podStore } = this.#dependencies;
    switch (message.kind) {
      case 'wake':
        return (await podStore.wake(message.wake)) === 'wanted' ? message.wake.uid : undefined;
      case 'observation':
        return (await podStore.observe(message.workload))?.uid;
      case 'nothing':
        return undefined;
      default:
        return message satisfies never;
    }
  }

  /** Another holder may read the pod before it shows what this wake has seen coming: then it is looked at once more. */
  async #claim(
    uid: string,
    expected: Expected | undefined,
    signal: AbortSignal,
    reason: ClaimReason | undefined,
  ): Promise<ClaimedPod | undefined> {
    const claimed = await this.#controller.claim(uid, signal, reason);
    if (!claimed && expected) await lookAgain(this.#dependencies, expected.pod, signal);
    return claimed;
  }

  /** One question for all workloads of the batch that have been silent for too long; asked when the first pod needs it. */
  #describeAtOnce(claimed: readonly ClaimedPod[], signal: AbortSignal): Describe {
    const { provider } = this.#dependencies;
    const due = claimed.flatMap((pod) => pod.due).slice(0, DESCRIBE_BATCH);
    let answer: Promise<Described> | undefined;
    return (ids, own) => {
      if (!ids.every((id) => due.includes(id))) return provider.describe(ids, own);
      answer ??= provider.describe(due, signal);
      return answer;
    };
  }
}

interface Expected {
  readonly pod: PodIdentity;
  readonly expects: Expectation;
}

/** What the wakes of a batch have seen coming, by the pod's UID: nothing comes after a deletion. */
const expectationsOf = (items: readonly PodWork[]): ReadonlyMap<string, Expected> => {
  const expected = new Map<string, Expected>();
  for (const item of items) {
    if (item.kind !== 'wake') continue;
    const { wake } = item;
    const expects = expectationOf(wake.reason);
    if (expects && expected.get(wake.uid)?.expects !== 'deleted') expected.set(wake.uid, { pod: wake, expects });
  }
  return expected;
};

/** The pods to be worked on, with the number of observations where nothing else has asked for them. */
const reasonsByPod = (
  messages: readonly PodMessage[],
  entered: readonly Outcome<string | undefined>[],
): ReadonlyMap<string, ClaimReason> => {
  const reasons = new Map<string, ClaimReason>();
  for (const [index, one] of entered.entries()) {
    if (!one.ok || one.value === undefined) continue;
    const known = reasons.get(one.value);
    const isObservation = messages[index]?.kind === 'observation' && known?.observations !== 0;
    reasons.set(one.value, { observations: isObservation ? (known?.observations ?? 0) + 1 : 0 });
  }
  return reasons;
};

type Outcome<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly error: unknown };

const attempt = async <T>(act: () => Promise<T>): Promise<Outcome<T>> => {
  try {
    return { ok: true, value: await act() };
  } catch (error) {
    return { ok: false, error };
  }
};
