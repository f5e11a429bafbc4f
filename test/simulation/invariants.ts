import type { Pod } from '../../src/model/kubernetes.ts';
import type { Workload } from '../../src/model/workload.ts';

/** Thrown where the product has broken a promise. */
export class Violation extends Error {
  override readonly name = 'Violation';
}

/** A late request may still start something for so long after its pod has gone; it is stopped then. */
const GONE_FOR_GOOD_MS = 7 * 60_000;

/** What must hold at every moment, whatever happens. */
export class Invariants {
  readonly #broken: Violation[] = [];
  readonly #held = new Map<string, Pod>();
  readonly #gone = new Map<string, number>();
  readonly #started = new Map<string, string>();
  /** The workload of each pod that was started last. */
  readonly #newest = new Map<string, string>();
  /** Workloads of each pod that have run, in order. */
  readonly #ran = new Map<string, readonly Workload[]>();

  /** The first promise that was broken. */
  get violation(): Violation | undefined {
    return this.#broken[0];
  }

  /** The workloads of a pod that have run, oldest first, as they were last seen. */
  runs(podUid: string | undefined): readonly Workload[] {
    return this.#ran.get(podUid ?? '') ?? [];
  }

  /** A workload has changed; `live` are those of its pod. */
  workload(workload: Workload, live: readonly Workload[], now: number): void {
    const { id, podUid = '', attempt } = workload;
    const goneFor = now - (this.#gone.get(podUid) ?? now);
    if (workload.version === 1) {
      this.#newest.set(podUid, id);
      if (goneFor > GONE_FOR_GOOD_MS) this.broken(`${id} was started ${goneFor} ms after its pod had gone`);
      this.#mayStart(workload);
    }
    if (live.length > 1) this.broken(`two live workloads for one pod: ${live.map((one) => one.id).join(' and ')}`);
    const token = `${podUid} ${attempt}`;
    const known = this.#started.get(token);
    if (known !== undefined && (known !== id || workload.version === 1)) {
      this.broken(`attempt ${attempt} of ${podUid} was started twice: ${known} and ${id}`);
    }
    this.#started.set(token, id);
    const others = this.runs(podUid).filter((one) => one.id !== id);
    if (workload.startedAt !== undefined) this.#ran.set(podUid, [...others, workload]);
  }

  /** At most one launch more than there are restarts, and no restart that the pod does not ask for. */
  #mayStart({ id, podUid = '', attempt }: Workload): void {
    const policy = this.#held.get(podUid)?.spec?.restartPolicy;
    for (const { id: before, attempt: earlier, containers, end } of this.runs(podUid)) {
      if (earlier >= attempt) continue;
      const exitCode = containers[0]?.exitCode;
      const hasSucceeded = exitCode === 0 && end?.message.includes('liveness probe') !== true;
      if (policy === 'Never' || (policy === 'OnFailure' && hasSucceeded)) {
        this.broken(`${id} was started after ${before} had ended with ${exitCode}, and the policy is ${policy}`);
      }
    }
  }

  /** A pod was written by anybody. */
  pod(pod: Pod, live: readonly Workload[]): void {
    if (pod.status?.reason === 'TaskLost' && live.length > 0)
      this.broken(`${live[0]?.id} lives and is said to be lost`);
    const uid = pod.metadata?.uid ?? '';
    const before = this.#held.get(uid);
    this.#held.set(uid, pod);
    if (before) this.#changed(before, pod);
  }

  #changed(before: Pod, pod: Pod): void {
    const { uid = '' } = pod.metadata ?? {};
    const [from, to] = [before.status?.phase ?? 'Pending', pod.status?.phase ?? 'Pending'];
    const isTerminal = from === 'Succeeded' || from === 'Failed';
    if (isTerminal && from !== to) this.broken(`phase of ${uid} went from ${from} to ${to}`);
    if (isTerminal && JSON.stringify(before.status) !== JSON.stringify(pod.status))
      this.broken(`status of ${uid} changed after it was ${from}`);
    if (from === 'Running' && to === 'Pending') this.broken(`phase of ${uid} went from Running back to Pending`);
    if (before.status?.startTime !== undefined && before.status.startTime !== pod.status?.startTime) {
      this.broken(`start time of ${uid} went from ${before.status.startTime} to ${pod.status?.startTime}`);
    }
    for (const { name, restartCount } of before.status?.containerStatuses ?? []) {
      const now = pod.status?.containerStatuses?.find((other) => other.name === name)?.restartCount ?? 0;
      if (now < restartCount) this.broken(`restarts of ${uid}/${name} went from ${restartCount} back to ${now}`);
      if (now > this.#restarts(uid))
        this.broken(`${now} restarts of ${uid}/${name}, which has run ${this.runs(uid).length} times`);
    }
  }

  /** A restart counts from the moment at which the next run is on its way. */
  #restarts(uid: string): number {
    const runs = this.runs(uid);
    const isNextOnItsWay = runs.length > 0 && this.#newest.get(uid) !== runs.at(-1)?.id;
    return Math.max(0, isNextOnItsWay ? runs.length : runs.length - 1);
  }

  /** A pod object has gone; `live` are its workloads. */
  removed(pod: Pod, byUser: boolean, live: readonly Workload[], now: number): void {
    const { uid = '', deletionTimestamp } = pod.metadata ?? {};
    this.#gone.set(uid, now);
    if (byUser) return;
    if (deletionTimestamp === undefined) {
      this.broken(`the object of ${uid} was removed though nobody had asked for it`);
    }
    const running = live.find(({ containers }) => containers.some(({ state }) => state === 'running'));
    if (running) this.broken(`the object of ${uid} was removed while ${running.id} was running`);
  }

  broken(message: string): void {
    this.#broken.push(new Violation(message));
  }
}
