import type { PodWake } from '../../model/messages.ts';
import type { PodIdentity } from '../../model/pod-identity.ts';
import type { Described } from '../../ports/provider.ts';
import { concurrently } from './concurrently.ts';
import { type Expectation, expectationOf } from './expectation.ts';
import { lookAgain } from './look-again.ts';
import type { ClaimedPod, ClaimReason, PodController, Take } from './pod-controller.ts';
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
    const alone = loneMessages(messages);
    const entered = await concurrently(messages, CONCURRENCY, (message) =>
      attempt(() => (alone.has(message) ? this.#enterAndClaim(message, signal) : this.#enter(message))),
    );
    const reasons = reasonsByPod(messages, entered);
    const taken = new Map(
      entered.flatMap((one) => (one.ok && one.value?.claimed ? [[one.value.uid, one.value.claimed]] : [])),
    );
    const uids = [...reasons.keys()];
    const expected = expectationsOf(items);
    const claims = await concurrently(uids, CONCURRENCY, (uid) =>
      attempt(async () => taken.get(uid) ?? this.#claim(uid, expected.get(uid), signal, reasons.get(uid))),
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
      const uid = one.value?.uid ?? '';
      return failures.has(uid) ? { ok: false, error: failures.get(uid) } : { ok: true };
    });
  }

  #read(item: PodWork): PodMessage {
    if (item.kind === 'wake') return item;
    const workload = this.#dependencies.provider.observationOf(item.notification);
    return workload ? { kind: 'observation', workload } : NOTHING;
  }

  /** The only message of a pod is entered and the pod claimed in one write, where nobody holds it. */
  async #enterAndClaim(message: PodMessage, signal: AbortSignal): Promise<Entered | undefined> {
    const taking = takingOf(message);
    const claimed = taking && (await this.#controller.claim(taking.uid, signal, taking.reason, taking.take));
    return claimed ? { uid: claimed.row.pod.uid, claimed } : this.#enter(message);
  }

  /** Makes the message durable. The pod to be reconciled, undefined where nothing is new. */
  async #enter(message: PodMessage): Promise<Entered | undefined> {
    const { podStore } = this.#dependencies;
    switch (message.kind) {
      case 'wake':
        return (await podStore.wake(message.wake)) === 'wanted' ? { uid: message.wake.uid } : undefined;
      case 'observation': {
        const pod = await podStore.observe(message.workload);
        return pod && { uid: pod.uid };
      }
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

/** A message that is durable now; with the claim where both were one write. */
interface Entered {
  readonly uid: string;
  readonly claimed?: ClaimedPod;
}

interface Taking {
  readonly uid: string;
  readonly reason: ClaimReason;
  readonly take: Take;
}

/** How a message and a claim become one write; undefined for a message about no pod. */
const takingOf = (message: PodMessage): Taking | undefined => {
  switch (message.kind) {
    case 'wake': {
      const { wake } = message;
      return { uid: wake.uid, reason: { observations: 0 }, take: (store, claim) => store.wakeAndClaim(wake, claim) };
    }
    case 'observation': {
      const { workload } = message;
      const take: Take = (store, claim) => store.observeAndClaim(workload, claim);
      return workload.podUid === undefined ? undefined : { uid: workload.podUid, reason: { observations: 1 }, take };
    }
    case 'nothing':
      return undefined;
    default:
      return message satisfies never;
  }
};

/** The messages whose pod no other message of the batch is about. */
const loneMessages = (messages: readonly PodMessage[]): ReadonlySet<PodMessage> => {
  const uids = messages.map((message) => takingOf(message)?.uid);
  return new Set(messages.filter((_, index) => uids.indexOf(uids[index]) === uids.lastIndexOf(uids[index])));
};

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
  entered: readonly Outcome<Entered | undefined>[],
): ReadonlyMap<string, ClaimReason> => {
  const reasons = new Map<string, ClaimReason>();
  for (const [index, one] of entered.entries()) {
    if (!one.ok || one.value === undefined) continue;
    const { uid } = one.value;
    const known = reasons.get(uid);
    const isObservation = messages[index]?.kind === 'observation' && known?.observations !== 0;
    reasons.set(uid, { observations: isObservation ? (known?.observations ?? 0) + 1 : 0 });
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
