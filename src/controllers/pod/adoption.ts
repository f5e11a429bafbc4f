import type { Workload } from '../../model/workload.ts';
import type { PodDependencies } from './pod-dependencies.ts';

/**
 * Makes a node ours: before its first launch, and after its table was lost, every workload that runs one of its pods is
 * written down. Without it a pod whose row is gone would be started a second time.
 */
export class Adoption {
  readonly #dependencies: Pick<
    PodDependencies,
    'kubernetes' | 'provider' | 'podStore' | 'nodeStore' | 'clock' | 'logger'
  >;

  constructor(
    dependencies: Pick<PodDependencies, 'kubernetes' | 'provider' | 'podStore' | 'nodeStore' | 'clock' | 'logger'>,
  ) {
    this.#dependencies = dependencies;
  }

  /** Repeatable; does nothing once the node is adopted. Rejects where anything could not be read: nothing is adopted then. */
  async adopt(node: string, signal: AbortSignal): Promise<void> {
    const { kubernetes, provider, podStore, nodeStore, clock, logger } = this.#dependencies;
    if ((await nodeStore.get(node))?.adoptedAt !== undefined) return;
    const pods = new Map(
      (await kubernetes.pods.listMetadata(node, signal)).map(({ metadata }) => [metadata.uid, metadata]),
    );
    let adopted = 0;
    for await (const workload of provider.list({ stopped: true }, signal)) {
      const metadata = pods.get(workload.podUid);
      if (!metadata) continue;
      const { namespace = '', name = '', uid = '' } = metadata;
      await podStore.wake({ v: 1, kind: 'wake', reason: 'resync', namespace, name, uid, node });
      await this.#observe(workload);
      adopted += 1;
    }
    await nodeStore.put(node, { adoptedAt: clock.now() });
    logger.info('node adopted', { node, pods: pods.size, workloads: adopted });
  }

  async #observe(workload: Workload): Promise<void> {
    await this.#dependencies.podStore.observe(workload);
  }
}
