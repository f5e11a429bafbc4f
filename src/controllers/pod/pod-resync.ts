import type { PodWake, WakeReason } from '../../model/messages.ts';
import type { PodIdentity } from '../../model/pod-identity.ts';
import type { PodDependencies } from './pod-dependencies.ts';

/** Compares what the API server lists with what we know, for the events that got lost on the way. */
export class PodResync {
  readonly #dependencies: Pick<PodDependencies, 'kubernetes' | 'podStore' | 'queue' | 'logger'>;

  constructor(dependencies: Pick<PodDependencies, 'kubernetes' | 'podStore' | 'queue' | 'logger'>) {
    this.#dependencies = dependencies;
  }

  /**
   * Wakes the pods of a node that need work: unknown ones, ones that have moved on since we looked, and known ones that
   * are not listed any more. The list only proposes; each pod is read by name before anything is done about it. Answers
   * how many were woken.
   */
  async run(node: string, signal: AbortSignal): Promise<number> {
    const { kubernetes, podStore, queue, logger } = this.#dependencies;
    const [known, listed] = await Promise.all([podStore.knownPods(node), kubernetes.pods.listMetadata(node, signal)]);
    const seen = new Map(known.map(({ pod, resourceVersion }) => [pod.uid, resourceVersion]));
    const changed = listed.flatMap(({ metadata }): PodIdentity[] => {
      const { namespace = '', name = '', uid = '', resourceVersion } = metadata;
      return seen.has(uid) && seen.get(uid) === resourceVersion ? [] : [{ namespace, name, uid }];
    });
    const present = new Set(listed.map(({ metadata }) => metadata.uid));
    const vanished = known.filter(({ pod }) => !present.has(pod.uid)).map(({ pod }) => pod);
    const wakes = [
      ...changed.map((pod) => wakeOf('resync', pod, node)),
      // Nobody has seen these: their wake must not make a row.
      ...vanished.map((pod) => wakeOf('timer', pod, node)),
    ];
    if (wakes.length > 0)
      await queue.send(
        wakes.map((message) => ({ message })),
        signal,
      );
    logger.info('pods compared', { node, listed: listed.length, known: known.length, woken: wakes.length });
    return wakes.length;
  }
}

const wakeOf = (reason: WakeReason, pod: PodIdentity, node: string): PodWake => ({
  v: 1,
  kind: 'wake',
  reason,
  ...pod,
  node,
});
