import type { Environment } from '../config/environment.ts';
import { BeatScheduler } from '../controllers/node/beat-scheduler.ts';
import { Heartbeat } from '../controllers/node/heartbeat.ts';
import { LeaseController } from '../controllers/node/lease-controller.ts';
import { NodeController } from '../controllers/node/node-controller.ts';
import type { Deployment, NodeDefinition } from '../controllers/node/node-definition.ts';
import { ReachabilityMonitor } from '../controllers/node/reachability-monitor.ts';
import { TimerController } from '../controllers/pod/timer-controller.ts';
import type { Provider } from '../ports/provider.ts';
import type { ClusterSession } from './cluster-session.ts';
import type { Foundation } from './foundation.ts';
import { VERSION } from './version.ts';

/** What keeps the nodes of the deployment alive: runs, beats, and the timers that beats start. */
export const createHeartbeat = (
  foundation: Foundation,
  session: ClusterSession,
  provider: Pick<Provider, 'ping' | 'describe'>,
): Heartbeat => {
  const { clock, logger, podQueue, beatsQueue, environment } = foundation;
  const { kubernetes, nodeStore: store, podStore } = session;
  const deployment: Deployment = {
    name: environment.settings.deployment,
    provider: environment.settings.provider,
    version: VERSION,
  };
  const monitor = new ReachabilityMonitor({ provider, store, clock, logger });
  const controller = new NodeController({ kubernetes, store, monitor, clock, logger, deployment });
  const timers = new TimerController({ provider, podStore, queue: podQueue, clock, logger });
  return new Heartbeat({
    nodes: nodeDefinitions(environment),
    controller,
    leases: new LeaseController({ leases: kubernetes.leases, nodes: controller, clock, logger, deployment }),
    beats: new BeatScheduler({ store, beatsQueue, podQueue, clock, logger }),
    onBeat: async (signal) => {
      await timers.startDue(signal);
    },
    onLease: ({ node, ageMs }) => {
      if (ageMs !== undefined) foundation.metrics.leaseSeen(node, ageMs / 1_000);
    },
    clock,
    logger,
  });
};

const nodeDefinitions = ({ settings, kubeletEndpoints }: Environment<unknown>): readonly NodeDefinition[] =>
  settings.nodes.map(({ name, architecture, capacity, labels, taints }) => ({
    name,
    architecture,
    capacity,
    labels,
    taints,
    endpoint: kubeletEndpoints[name],
  }));
