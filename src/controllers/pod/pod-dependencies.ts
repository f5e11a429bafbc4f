import type { Clock, Random } from '../../core/clock.ts';
import type { ClusterApi, EventsApi, PodsApi, SourcesApi } from '../../ports/kubernetes.ts';
import type { Logger } from '../../ports/logger.ts';
import type { NodeStore } from '../../ports/node-store.ts';
import type { PodStore } from '../../ports/pod-store.ts';
import type { Provider } from '../../ports/provider.ts';
import type { WorkQueue } from '../../ports/work-queue.ts';

/** What the pod controllers work with. */
export interface PodDependencies {
  readonly kubernetes: {
    readonly pods: PodsApi;
    readonly events: EventsApi;
    readonly sources: SourcesApi;
    readonly cluster: ClusterApi;
  };
  /** Knows of pods that have gone for certain, where somebody watches them; without it two reads must agree. */
  readonly deletions?: { isDeleted(podUid: string): boolean };
  readonly provider: Provider;
  readonly podStore: PodStore;
  readonly nodeStore: NodeStore;
  readonly queue: WorkQueue;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}
