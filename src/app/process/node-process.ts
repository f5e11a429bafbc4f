import { MemoryWorkQueue } from '../../adapters/memory/work-queue.ts';
import { LeaseController } from '../../controllers/node/lease-controller.ts';
import { NodeController } from '../../controllers/node/node-controller.ts';
import type { Deployment, NodeDefinition } from '../../controllers/node/node-definition.ts';
import { NodeKeeper } from '../../controllers/node/node-keeper.ts';
import { ReachabilityMonitor } from '../../controllers/node/reachability-monitor.ts';
import { Adoption } from '../../controllers/pod/adoption.ts';
import { DuePods } from '../../controllers/pod/due-pods.ts';
import { PodController } from '../../controllers/pod/pod-controller.ts';
import type { PodDependencies } from '../../controllers/pod/pod-dependencies.ts';
import { PodResync } from '../../controllers/pod/pod-resync.ts';
import { TaskCollector } from '../../controllers/pod/task-collector.ts';
import { TimerController } from '../../controllers/pod/timer-controller.ts';
import { CachedPods } from '../../controllers/watch/cached-pods.ts';
import { CachedSources, ServiceCache } from '../../controllers/watch/cached-sources.ts';
import { PodCache } from '../../controllers/watch/pod-cache.ts';
import { PodLoop } from '../../controllers/watch/pod-loop.ts';
import { PodWatch } from '../../controllers/watch/pod-watch.ts';
import { ProviderPoller } from '../../controllers/watch/provider-poller.ts';
import { RecentCluster } from '../../controllers/watch/recent-cluster.ts';
import { RecentWorkloads } from '../../controllers/watch/recent-workloads.ts';
import { Reflector } from '../../controllers/watch/reflector.ts';
import { TimedPodStore } from '../../controllers/watch/timed-pod-store.ts';
import type { Clock, Random } from '../../core/clock.ts';
import type { HealthCheck } from '../../kubelet/healthz.ts';
import type { Pod, Service } from '../../model/kubernetes.ts';
import type { Workload } from '../../model/workload.ts';
import type { Kubernetes, PodsApi } from '../../ports/kubernetes.ts';
import type { ListWatch } from '../../ports/list-watch.ts';
import type { Logger } from '../../ports/logger.ts';
import type { MetricsRegistry } from '../../ports/metrics.ts';
import type { NodeStore } from '../../ports/node-store.ts';
import type { KnownPod, PodStore } from '../../ports/pod-store.ts';
import type { Provider } from '../../ports/provider.ts';
import type { Tracer } from '../../ports/tracer.ts';
import { followingProvider } from './following-provider.ts';
import { createInstruments } from './instruments.ts';
import { measuredProvider } from './measured-provider.ts';

/** What one node of a process is made of. */
export interface NodeProcessParts {
  readonly definition: NodeDefinition;
  readonly deployment: Deployment;
  readonly kubernetes: Kubernetes;
  /** The pods bound to the node. */
  readonly pods: ListWatch<Pod>;
  readonly services: ListWatch<Service>;
  readonly provider: Provider;
  readonly podStore: PodStore;
  readonly nodeStore: NodeStore;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly metrics: MetricsRegistry;
  /** Undefined: no traces. */
  readonly tracer?: Tracer | undefined;
  /** Pods worked on side by side. */
  readonly workers: number;
  /** How often everything is compared anew, in milliseconds; 0: never after the start. */
  readonly resyncMs: number;
  /** How long work in progress may go on once the process is to end, in milliseconds. */
  readonly drainMs: number;
  /** Whether the Node object goes with the process. */
  readonly deleteNode: boolean;
}

/** The same controllers as in the functions, held together by a watch, a queue in memory, and timers. */
export interface NodeProcess {
  /** Pods of the node out of the watch. */
  readonly pods: PodsApi;
  readonly podStore: PodStore;
  readonly provider: Provider;
  readonly healthChecks: readonly HealthCheck[];
  readonly parts: NodeProcessParts;
  readonly queue: MemoryWorkQueue;
  readonly keeper: NodeKeeper;
  readonly podReflector: Reflector<Pod>;
  readonly serviceReflector: Reflector<Service>;
  readonly adoption: Adoption;
  readonly resync: PodResync;
  readonly collector: TaskCollector;
  readonly timers: TimerController;
  readonly poller: ProviderPoller;
  readonly loop: PodLoop;
  /** Ends every timer. */
  stop(): void;
}

/** A lease older than this has cost the node its readiness: the process is not well. */
const LEASE_TOO_OLD_MS = 40_000;

/** Wires the controllers of one node; starts nothing. */
export const createNodeProcess = (parts: NodeProcessParts): NodeProcess => {
  const { definition, deployment, kubernetes, nodeStore, clock, random, logger, tracer } = parts;
  const instruments = createInstruments(parts.metrics, clock);
  const queue = new MemoryWorkQueue({ clock });
  const measured = measuredProvider(parts.provider, { instruments, clock, tracer });
  const onChange = (workload: Workload): void => queue.observe(workload);
  const poller = new ProviderPoller({ provider: measured, onChange, clock, logger });
  const provider = followingProvider(measured, (workload) => poller.follow(workload));
  const podStore: TimedPodStore = new TimedPodStore(parts.podStore, { clock, onDue: (pods) => startDue(pods) });
  instruments.queueDepth(() => queue.length);
  instruments.syncsInProgress(() => queue.inProgress);

  const cache = new PodCache(clock);
  const services = new ServiceCache();
  const pods = new CachedPods(kubernetes.pods, cache);
  const live: PodDependencies = { kubernetes, provider, podStore, nodeStore, queue, clock, random, logger };
  const cached: PodDependencies = {
    ...live,
    kubernetes: {
      ...kubernetes,
      pods,
      sources: new CachedSources(kubernetes.sources, services),
      cluster: new RecentCluster(kubernetes.cluster, clock),
    },
    deletions: cache,
  };
  const recent = new RecentWorkloads(provider, clock);
  const timing = { ...live, onRead: (workloads: readonly Workload[]) => recent.keep(workloads) };
  const duePods = new DuePods(timing);
  const ended = new AbortController();
  const startDue = (pods: readonly KnownPod[]): void => {
    // Only where the process ends: whoever starts next finds the times on the rows.
    duePods.start(pods, ended.signal).catch((error: unknown) => logger.info('due pods left alone', { error }));
  };

  const monitor = new ReachabilityMonitor({ provider, store: nodeStore, clock, logger });
  const controller = new NodeController({ kubernetes, store: nodeStore, monitor, clock, logger, deployment });
  let renewedAt: number | undefined;
  const keeper = new NodeKeeper({
    definition,
    deployment,
    controller,
    leases: new LeaseController({ leases: kubernetes.leases, nodes: controller, clock, logger, deployment }),
    nodes: kubernetes.nodes,
    store: nodeStore,
    clock,
    logger,
    onRenewed: (at) => {
      renewedAt = at;
      instruments.leaseRenewed(at);
    },
  });
  return {
    parts,
    pods,
    podStore,
    provider,
    queue,
    keeper,
    healthChecks: [
      {
        name: 'lease',
        check: async () => {
          if (renewedAt === undefined || clock.now() - renewedAt > LEASE_TOO_OLD_MS)
            throw new Error('the lease of the node was not renewed in time');
        },
      },
    ],
    podReflector: new Reflector({
      what: 'pods',
      source: parts.pods,
      sink: new PodWatch({ cache, node: definition.name, wake: (wake) => queue.wake(wake) }),
      clock,
      random,
      logger,
    }),
    serviceReflector: new Reflector({
      what: 'services',
      source: parts.services,
      sink: services,
      clock,
      random,
      logger,
    }),
    adoption: new Adoption(live),
    resync: new PodResync(cached),
    collector: new TaskCollector(live),
    timers: new TimerController(timing),
    poller,
    loop: new PodLoop({
      source: queue,
      podStore,
      controller: new PodController(cached),
      describe: (ids, signal) => recent.describe(ids, signal),
      clock,
      logger,
      observer: {
        taken: (waitedMs) => instruments.queueWait(waitedMs / 1_000),
        ended: (result, ms) => instruments.sync(result, ms / 1_000),
      },
      ...(tracer && { tracer }),
    }),
    stop: () => {
      ended.abort(new Error('the process ends'));
      podStore.stop();
      queue.stop();
    },
  };
};
