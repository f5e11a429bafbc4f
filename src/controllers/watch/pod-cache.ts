import type { Clock } from '../../core/clock.ts';
import type { Pod } from '../../model/kubernetes.ts';
import type { PodIdentity } from '../../model/pod-identity.ts';
import { slim } from './slim.ts';

/** How long a deletion is remembered, in milliseconds: until everybody who knew the pod has acted on it. */
const REMEMBERED_MS = 600_000;
/** How long a name that has just changed hands is read at the server instead of here. */
const DOUBTED_MS = 120_000;

/**
 * The pods of one node as the API server last showed them: by its watch, and by its answers to us, whichever is newer. An
 * answer never adds a pod, because the watch may have shown its end already.
 */
export class PodCache {
  readonly #clock: Clock;
  readonly #pods = new Map<string, Pod>();
  readonly #deleted = new Map<string, number>();
  readonly #doubted = new Map<string, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  /** As a list shows it, whole. Answers what it brings that is new, and what has gone since. */
  replace(pods: readonly Pod[]): { readonly changed: readonly Pod[]; readonly gone: readonly Pod[] } {
    const listed = new Set(pods.map((pod) => pod.metadata?.uid));
    const gone = this.list().filter((pod) => !listed.has(pod.metadata?.uid));
    for (const pod of gone) this.#pods.delete(keyOf(pod));
    for (const uid of listed) this.#deleted.delete(uid ?? '');
    return { changed: pods.filter((pod) => this.put(pod)), gone };
  }

  /** As the watch shows it. False where that is nothing new, or of a pod that has gone. */
  put(pod: Pod): boolean {
    if (this.isDeleted(pod.metadata?.uid ?? '')) return false;
    const key = keyOf(pod);
    const held = this.#pods.get(key);
    if (held && isSame(held, pod) && !isNewer(pod, held)) return false;
    if (held && !isSame(held, pod)) this.#doubt(key, DOUBTED_MS);
    this.#pods.set(key, slim(pod));
    return true;
  }

  /** As the server has just answered it to us. */
  answered(pod: Pod): void {
    const key = keyOf(pod);
    const held = this.#pods.get(key);
    if (!held || !isSame(held, pod)) return;
    if ((this.#doubted.get(key) ?? 0) === Number.POSITIVE_INFINITY) this.#doubted.delete(key);
    if (isNewer(pod, held)) this.#pods.set(key, slim(pod));
  }

  /** The watch has shown its end. */
  remove(pod: Pod): void {
    const key = keyOf(pod);
    const held = this.#pods.get(key);
    if (held && isSame(held, pod)) this.#pods.delete(key);
    this.#remember(pod.metadata?.uid ?? '');
  }

  /** The server has taken our request to let it go at once. Finalizers may keep it: then the watch will tell. */
  left({ namespace, name, uid }: PodIdentity): void {
    const key = `${namespace}/${name}`;
    const held = this.#pods.get(key);
    if (held?.metadata?.uid !== uid || (held.metadata.finalizers ?? []).length > 0) return;
    this.#pods.delete(key);
    this.#remember(uid);
  }

  /** True where the pod with this UID has gone, lately: the watch has shown it, or we have done it. */
  isDeleted(uid: string): boolean {
    return this.#deleted.has(uid);
  }

  /** What is held under this name is not what the server has: it is to be read there, until it has answered. */
  doubt(namespace: string, name: string): void {
    this.#doubt(`${namespace}/${name}`, Number.POSITIVE_INFINITY);
  }

  /** Undefined where it is not known, or where only the server can tell. */
  get(namespace: string, name: string): Pod | undefined {
    const key = `${namespace}/${name}`;
    const until = this.#doubted.get(key);
    if (until !== undefined && this.#clock.now() < until) return undefined;
    if (until !== undefined) this.#doubted.delete(key);
    return this.#pods.get(key);
  }

  list(): readonly Pod[] {
    return [...this.#pods.values()];
  }

  #remember(uid: string): void {
    const now = this.#clock.now();
    for (const [earlier, at] of this.#deleted) {
      if (now - at < REMEMBERED_MS) break;
      this.#deleted.delete(earlier);
    }
    this.#deleted.set(uid, now);
  }

  #doubt(key: string, forMs: number): void {
    this.#doubted.set(key, this.#clock.now() + forMs);
  }
}

const keyOf = ({ metadata }: Pod): string => `${metadata?.namespace ?? ''}/${metadata?.name ?? ''}`;

const isSame = (a: Pod, b: Pod): boolean => a.metadata?.uid === b.metadata?.uid;

/** By resourceVersion, which grows; one that is no number says nothing, and then the last word counts. */
const isNewer = (pod: Pod, held: Pod): boolean => {
  const [now = '', before = ''] = [pod.metadata?.resourceVersion, held.metadata?.resourceVersion];
  if (now === before) return false;
  return !(NUMBER.test(now) && NUMBER.test(before)) || BigInt(now) > BigInt(before);
};

const NUMBER = /^\d+$/;
