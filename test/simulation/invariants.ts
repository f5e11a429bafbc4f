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

  /** The first promise that was broken. */
  get violation(): Violation | undefined {
    return this.#broken[0];
  }

  /** A workload has changed; `live` are those of its pod. */
  workload(workload: Workload, live: readonly Workload[], now: number): void {
    const goneFor = now - (this.#gone.get(workload.podUid ?? '') ?? now);
    if (workload.version === 1 && goneFor > GONE_FOR_GOOD_MS) {
      this.#break(`${workload.id} was started ${goneFor} ms after its pod had gone`);
    }
    if (live.length > 1) this.#break(`two live workloads for one pod: ${live.map(({ id }) => id).join(' and ')}`);
    const token = `${workload.podUid} ${workload.attempt}`;
    const known = this.#started.get(token);
    if (known !== undefined && known !== workload.id) {
      this.#break(`attempt ${workload.attempt} of ${workload.podUid} was started twice: ${known} and ${workload.id}`);
    }
    this.#started.set(token, workload.id);
  }

  /** A pod was written by anybody. */
  pod(pod: Pod, live: readonly Workload[]): void {
    if (pod.status?.reason === 'TaskLost' && live.length > 0)
      this.#break(`${live[0]?.id} lives and is said to be lost`);
    const uid = pod.metadata?.uid ?? '';
    const before = this.#held.get(uid);
    this.#held.set(uid, pod);
    if (!before) return;
    const [from, to] = [before.status?.phase ?? 'Pending', pod.status?.phase ?? 'Pending'];
    const isTerminal = from === 'Succeeded' || from === 'Failed';
    if (isTerminal && from !== to) this.#break(`phase of ${uid} went from ${from} to ${to}`);
    if (from === 'Running' && to === 'Pending') this.#break(`phase of ${uid} went from Running back to Pending`);
    if (before.status?.startTime !== undefined && before.status.startTime !== pod.status?.startTime) {
      this.#break(`start time of ${uid} went from ${before.status.startTime} to ${pod.status?.startTime}`);
    }
    for (const { name, restartCount } of before.status?.containerStatuses ?? []) {
      const now = pod.status?.containerStatuses?.find((other) => other.name === name)?.restartCount ?? 0;
      if (now < restartCount) this.#break(`restarts of ${uid}/${name} went from ${restartCount} back to ${now}`);
    }
  }

  /** A pod object has gone; `live` are its workloads. */
  removed(pod: Pod, byUser: boolean, live: readonly Workload[], now: number): void {
    this.#gone.set(pod.metadata?.uid ?? '', now);
    if (!byUser && pod.metadata?.deletionTimestamp === undefined) {
      this.#break(`the object of ${pod.metadata?.uid} was removed though nobody had asked for it`);
    }
    const running = live.filter(({ containers }) => containers.some(({ state }) => state === 'running'));
    if (!byUser && running.length > 0) {
      this.#break(`the object of ${pod.metadata?.uid} was removed while ${running[0]?.id} was running`);
    }
  }

  broken(message: string): void {
    this.#break(message);
  }

  #break(message: string): void {
    this.#broken.push(new Violation(message));
  }
}

/** What a pod at rest must say, from the workloads it has had. Undefined where nothing is wrong. */
export const settledFault = (pod: Pod, workloads: readonly Workload[]): string | undefined => {
  const { restartPolicy } = pod.spec ?? {};
  const { phase, reason } = pod.status ?? {};
  const last = workloads.at(-1);
  const live = last !== undefined && last.phase !== 'stopped';
  if (pod.metadata?.deletionTimestamp !== undefined) {
    return live ? `${pod.metadata.uid} is being deleted and ${last.id} lives` : undefined;
  }
  if (phase === 'Succeeded') {
    if (restartPolicy === 'Always') return 'a pod that restarts always has succeeded';
    const code = last?.containers[0]?.exitCode;
    return last === undefined || code === 0 ? undefined : `succeeded with exit code ${code}`;
  }
  if (phase === 'Failed') {
    if (live) return `${pod.metadata?.uid} has failed and ${last.id} lives`;
    if (reason !== undefined) return undefined;
    const code = last?.containers[0]?.exitCode;
    return restartPolicy === 'Never' && code !== 0
      ? undefined
      : `failed (${restartPolicy}) with exit code ${code} and no reason`;
  }
  if (phase === 'Running' && last?.phase === 'running') return undefined;
  if (phase === 'Running' && last?.phase === 'stopped') {
    const waiting = pod.status?.containerStatuses?.[0]?.state?.waiting?.reason;
    return restartPolicy !== 'Never' && waiting !== undefined
      ? undefined
      : 'runs on after its last workload has stopped';
  }
  if (last === undefined) return `${phase} and never launched`;
  // Restarting, or about to.
  return last?.phase === 'running' ? `${phase} while ${last.id} runs` : undefined;
};
