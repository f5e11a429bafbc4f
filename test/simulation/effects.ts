import type { LaunchRequest } from '../../src/model/launch.ts';
import type { PodIdentity } from '../../src/model/pod-identity.ts';
import type { PodRow } from '../../src/model/pod-row.ts';
import type { FakeKubernetes } from '../fakes/kubernetes/fake-kubernetes.ts';
import type { FakeProvider } from '../fakes/provider/fake-provider.ts';
import type { FakePodStore } from '../fakes/stores/fake-pod-store.ts';
import { tokenOf } from './calls.ts';
import type { Invariants } from './invariants.ts';
import type { SetOut } from './weather.ts';

/** What must be on the row at the moment somebody sets out to change the world outside. */
export class Effects {
  readonly #podStore: FakePodStore;
  readonly #kubernetes: FakeKubernetes;
  readonly #provider: FakeProvider;
  readonly #invariants: Invariants;

  constructor(podStore: FakePodStore, kubernetes: FakeKubernetes, provider: FakeProvider, invariants: Invariants) {
    this.#provider = provider;
    this.#podStore = podStore;
    this.#kubernetes = kubernetes;
    this.#invariants = invariants;
  }

  /** A call is about to be made at `now`. */
  check(setOut: SetOut, now: number): void {
    const [first] = setOut.args;
    switch (setOut.call) {
      case 'provider.launch':
        return this.#launch(setOut, first as LaunchRequest, now);
      case 'pods.patchStatus':
      case 'pods.delete':
        return this.#claimed(setOut, (first as PodIdentity).uid, now);
      case 'provider.stop':
        return this.#stop(setOut, String(first), now);
      case 'podStore.forget':
        return this.#forget(String(first));
      default:
    }
  }

  #launch(setOut: SetOut, request: LaunchRequest, now: number): void {
    const { podUid, attempt: number } = tokenOf(request);
    this.#claimed(setOut, podUid, now);
    const row = this.#rowOf(podUid);
    if (!row) return;
    const intent = row.state.attempts.find(({ attempt }) => attempt === number)?.launch;
    if (!intent?.unknown || intent.request.body !== request.body) {
      this.#invariants.broken(`${podUid} is launched without an intent on its row`);
    }
  }

  /** Whoever changes anything holds the pod at that moment. */
  #claimed({ call, claims }: SetOut, uid: string, now: number): void {
    const row = this.#rowOf(uid);
    if (!row) return;
    const { claim } = row;
    if (claim === undefined || claim.until <= now) this.#invariants.broken(`${call} for ${uid} without a claim`);
    else if (claim.id !== claims.get(uid)) this.#invariants.broken(`${call} for ${uid} under the claim of another`);
  }

  /** The collector stops what has no row; everything else needs a reason that is written down. */
  #stop(setOut: SetOut, id: string, now: number): void {
    const row = this.#podStore.rows().find(({ state }) => state.attempts.some(({ workloadId }) => workloadId === id));
    if (!row) return;
    this.#claimed(setOut, row.pod.uid, now);
    const { deletion, failure, finished, attempts } = row.state;
    const attempt = attempts.at(-1);
    if (attempt?.workloadId !== id) return;
    const verdict = failure ?? finished ?? attempt.failedProbe;
    if (!deletion && !verdict) this.#invariants.broken(`${id} is stopped without a reason on its row`);
    const pod = this.#kubernetes.allPods().find(({ metadata }) => metadata?.uid === row.pod.uid);
    const isWanted = pod !== undefined && pod.metadata?.deletionTimestamp === undefined;
    if (isWanted && !verdict) this.#invariants.broken(`${id} is stopped and its pod is there and wanted`);
  }

  #forget(uid: string): void {
    const row = this.#rowOf(uid);
    // An observation on the row settles a launch as well as its holder's own note of it, and so does what a look-up found.
    const seen = [...Object.values(row?.observations ?? {}), ...this.#provider.workloads(uid)];
    const isUnknown = row?.state.attempts.some(
      ({ attempt, try: count, launch, workloadId }) =>
        launch?.unknown && !workloadId && !seen.some((one) => one.attempt === attempt && one.try === count),
    );
    if (isUnknown) this.#invariants.broken(`the row of ${uid} is removed while its launch is unknown`);
  }

  #rowOf(uid: string): PodRow | undefined {
    return this.#podStore.rows().find(({ pod }) => pod.uid === uid);
  }
}
