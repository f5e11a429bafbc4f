import type { Pod } from '../../model/kubernetes.ts';
import type { PodWake } from '../../model/messages.ts';
import type { PodCache } from './pod-cache.ts';
import type { ReflectorSink } from './reflector.ts';

/**
 * Turns what the watch of a node's pods shows into wakes. Only a pod that is shown may get a row; one that has gone, or is
 * missing in a new list, is woken without that. The first list wakes nobody: that is compared with the rows by resync.
 */
export class PodWatch implements ReflectorSink<Pod> {
  readonly #cache: PodCache;
  readonly #node: string;
  readonly #wake: (wake: PodWake) => void;
  #isFirst = true;

  constructor(deps: { readonly cache: PodCache; readonly node: string; readonly wake: (wake: PodWake) => void }) {
    this.#cache = deps.cache;
    this.#node = deps.node;
    this.#wake = deps.wake;
  }

  replaced(pods: readonly Pod[]): void {
    const { changed, gone } = this.#cache.replace(pods);
    if (!this.#isFirst) {
      for (const pod of changed) this.#tell('watch', pod);
      for (const pod of gone) this.#tell('delete', pod);
    }
    this.#isFirst = false;
  }

  changed(type: 'ADDED' | 'MODIFIED' | 'DELETED', pod: Pod): void {
    if (type === 'DELETED') {
      this.#cache.remove(pod);
      this.#tell('delete', pod);
    } else if (this.#cache.put(pod)) this.#tell('watch', pod);
  }

  #tell(reason: 'watch' | 'delete', { metadata }: Pod): void {
    const { namespace = '', name = '', uid = '' } = metadata ?? {};
    this.#wake({ v: 1, kind: 'wake', reason, uid, namespace, name, node: this.#node });
  }
}
