import { setTimeout as delay } from 'node:timers/promises';
import type { KubernetesClient } from '../../src/adapters/kubernetes/kubernetes-client.ts';
import { podsOfNode } from '../../src/adapters/kubernetes/list-watch.ts';
import { SystemClock } from '../../src/adapters/system/system-clock.ts';
import { SystemRandom } from '../../src/adapters/system/system-random.ts';
import { Reflector } from '../../src/controllers/watch/reflector.ts';
import type { Pod } from '../../src/model/kubernetes.ts';
import { RecordingLogger } from './recording-logger.ts';

/** What a client sees of the pods of a node, and when: milliseconds of `performance.now()`. */
export class PodWatcher {
  readonly runningAt = new Map<string, number>();
  readonly goneAt = new Map<string, number>();
  readonly pods = new Map<string, Pod>();
  readonly #end = new AbortController();
  readonly #running: Promise<void>;
  readonly #reflector: Reflector<Pod>;

  constructor(client: KubernetesClient, node: string) {
    const random = new SystemRandom();
    this.#reflector = new Reflector<Pod>({
      what: 'pods',
      source: podsOfNode(client, node, random),
      sink: {
        replaced: (pods) => {
          const listed = new Set(pods.map(({ metadata }) => metadata?.name ?? ''));
          for (const [name, pod] of this.pods) if (!listed.has(name)) this.#see('DELETED', pod);
          for (const pod of pods) this.#see('MODIFIED', pod);
        },
        changed: (type, pod) => this.#see(type, pod),
      },
      clock: new SystemClock(),
      random,
      logger: new RecordingLogger(),
    });
    this.#running = this.#reflector.run(this.#end.signal);
  }

  get synced(): Promise<void> {
    return this.#reflector.synced;
  }

  /** Waits until `condition` holds. @throws naming `what` where it does not within `withinMs`. */
  async until(what: string, withinMs: number, condition: () => boolean): Promise<void> {
    const end = performance.now() + withinMs;
    while (!condition()) {
      if (performance.now() > end) throw new Error(`not within ${withinMs} ms: ${what}`);
      await delay(2);
    }
  }

  async stop(): Promise<void> {
    this.#end.abort();
    await this.#running;
  }

  #see(type: 'ADDED' | 'MODIFIED' | 'DELETED', pod: Pod): void {
    const name = pod.metadata?.name ?? '';
    if (type === 'DELETED') {
      this.goneAt.set(name, performance.now());
      this.pods.delete(name);
      return;
    }
    this.pods.set(name, pod);
    if (pod.status?.phase === 'Running' && !this.runningAt.has(name)) this.runningAt.set(name, performance.now());
  }
}

/** Does `act` for every name, twenty at a time. */
export const twentyAtOnce = async (
  names: readonly string[],
  act: (name: string) => Promise<unknown>,
): Promise<void> => {
  const queue = names.values();
  await Promise.all(
    Array.from({ length: 20 }, async () => {
      for (const name of queue) await act(name);
    }),
  );
};
