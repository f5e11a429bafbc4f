import { Adoption } from '../controllers/pod/adoption.ts';
import { PodController } from '../controllers/pod/pod-controller.ts';
import type { PodDependencies } from '../controllers/pod/pod-dependencies.ts';
import { PodResync } from '../controllers/pod/pod-resync.ts';
import { PodWorker } from '../controllers/pod/pod-worker.ts';
import { TaskCollector } from '../controllers/pod/task-collector.ts';
import type { Provider } from '../ports/provider.ts';
import type { ClusterSession } from './cluster-session.ts';
import type { Foundation } from './foundation.ts';

const dependenciesOf = (foundation: Foundation, session: ClusterSession, provider: Provider): PodDependencies => ({
  kubernetes: session.kubernetes,
  provider,
  podStore: session.podStore,
  nodeStore: session.nodeStore,
  queue: foundation.podQueue,
  clock: foundation.clock,
  random: foundation.random,
  logger: foundation.logger,
});

/** What reconciles pods. */
export const createPodWorker = (foundation: Foundation, session: ClusterSession, provider: Provider): PodWorker => {
  const dependencies = dependenciesOf(foundation, session, provider);
  return new PodWorker(dependencies, new PodController(dependencies));
};

/** What compares each node's pods with what is known of them, after its tasks were adopted. */
export const createPodResync = (
  foundation: Foundation,
  session: ClusterSession,
  provider: Provider,
): ((signal: AbortSignal) => Promise<void>) => {
  const dependencies = dependenciesOf(foundation, session, provider);
  const adoption = new Adoption(dependencies);
  const resync = new PodResync(dependencies);
  const nodes = foundation.environment.settings.nodes.map(({ name }) => name);
  return async (signal) => {
    const runs = nodes.map(async (node) => {
      await adoption.adopt(node, signal);
      await resync.run(node, signal);
    });
    const failed = (await Promise.allSettled(runs)).filter((run) => run.status === 'rejected');
    if (failed.length > 0)
      throw new AggregateError(
        failed.map(({ reason }): unknown => reason),
        'some nodes could not be compared',
      );
  };
};

/** What ends tasks whose pod is gone and removes what no pod needs. */
export const createTaskCollector = (
  foundation: Foundation,
  session: ClusterSession,
  provider: Provider,
): ((signal: AbortSignal) => Promise<void>) => {
  const collector = new TaskCollector(dependenciesOf(foundation, session, provider));
  const nodes = foundation.environment.settings.nodes.map(({ name }) => name);
  return (signal) => collector.run(nodes, signal);
};
