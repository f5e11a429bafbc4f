import { TransientError } from '../../../src/core/errors.ts';
import type { Pod } from '../../../src/model/kubernetes.ts';
import type { ListWatch, WatchEvent } from '../../../src/ports/list-watch.ts';
import type { Change } from './collection.ts';
import type { FakeKubernetes } from './fake-kubernetes.ts';

interface Past {
  readonly at: number;
  readonly type: Change;
  readonly pod: Pod;
}

interface Watcher {
  after: number;
  wake: () => void;
  end: WatchEvent<Pod> | Error | 'closed' | undefined;
}

/** The pods of one node as the fake API server lists and watches them, with the ways in which a watch ends. */
export class FakePodWatch implements ListWatch<Pod> {
  /** How often the collection was listed, and how often watched. */
  readonly counts = { list: 0, watch: 0 };
  /** Errors of the next lists, in order. */
  readonly listErrors: Error[] = [];
  readonly #kubernetes: FakeKubernetes;
  readonly #node: string;
  readonly #watchers = new Set<Watcher>();
  #past: Past[] = [];
  #version = 0;
  #forgottenUpTo = -1;

  constructor(kubernetes: FakeKubernetes, node: string) {
    this.#kubernetes = kubernetes;
    this.#node = node;
    kubernetes.onPod((type, pod) => this.#note(type, pod));
  }

  async list(signal: AbortSignal): Promise<{ readonly items: readonly Pod[]; readonly resourceVersion: string }> {
    this.counts.list += 1;
    signal.throwIfAborted();
    const error = this.listErrors.shift();
    if (error) throw error;
    const items = this.#kubernetes.allPods().filter(({ spec }) => spec?.nodeName === this.#node);
    return { items, resourceVersion: String(this.#version) };
  }

  async *watch(resourceVersion: string, signal: AbortSignal): AsyncGenerator<WatchEvent<Pod>, void, void> {
    this.counts.watch += 1;
    const watcher: Watcher = { after: Number(resourceVersion), wake: () => undefined, end: undefined };
    if (watcher.after <= this.#forgottenUpTo) {
      yield { type: 'EXPIRED' };
      return;
    }
    const stop = (): void => this.#end(watcher, 'closed');
    signal.addEventListener('abort', stop, { once: true });
    this.#watchers.add(watcher);
    try {
      for (;;) {
        const next = this.#past.find(({ at }) => at > watcher.after);
        if (watcher.end === undefined && next) {
          watcher.after = next.at;
          const object = { ...next.pod, metadata: { ...next.pod.metadata, resourceVersion: String(next.at) } };
          yield { type: next.type, object };
        } else if (watcher.end === undefined) {
          await new Promise<void>((resolve) => {
            watcher.wake = resolve;
          });
        } else if (watcher.end instanceof Error) throw watcher.end;
        else {
          if (watcher.end !== 'closed') yield watcher.end;
          return;
        }
      }
    } finally {
      signal.removeEventListener('abort', stop);
      this.#watchers.delete(watcher);
    }
  }

  /** The server ends every watch, as it does after some minutes. */
  close(): void {
    for (const watcher of this.#watchers) this.#end(watcher, 'closed');
  }

  /** Every connection breaks. */
  disconnect(): void {
    for (const watcher of this.#watchers) this.#end(watcher, new TransientError('the connection broke'));
  }

  /** The server forgets its history: 410 for every watch, those to come from earlier versions too. */
  expire(): void {
    this.#past = [];
    this.#forgottenUpTo = this.#version;
    this.#version += 0.25;
    for (const watcher of this.#watchers) this.#end(watcher, { type: 'EXPIRED' });
  }

  #note(type: Change, pod: Pod): void {
    if (pod.spec?.nodeName !== this.#node) return;
    // A deletion has a version of its own, after that of the object.
    const at = type === 'DELETED' ? this.#version + 0.5 : Number(pod.metadata?.resourceVersion);
    this.#version = Math.max(this.#version, at);
    this.#past.push({ at, type, pod });
    for (const watcher of this.#watchers) watcher.wake();
  }

  #end(watcher: Watcher, end: NonNullable<Watcher['end']>): void {
    watcher.end = end;
    watcher.wake();
  }
}

/** A collection in which nothing happens. */
export const emptyListWatch = <T>(items: readonly T[] = []): ListWatch<T> => ({
  list: async () => ({ items, resourceVersion: '1' }),
  watch: (_version, signal) => silence(signal),
});

async function* silence(signal: AbortSignal): AsyncGenerator<never, void, void> {
  await new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
  yield* [];
}
