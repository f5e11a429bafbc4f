import type { Clock } from '../../core/clock.ts';
import type { MetricsRegistry } from '../../ports/metrics.ts';

/** The figures of one process, by what is measured. Durations in seconds. */
export interface Instruments {
  readonly queueWait: (seconds: number) => void;
  readonly sync: (result: 'success' | 'error', seconds: number) => void;
  readonly providerCall: (method: string, result: 'success' | 'error', seconds: number) => void;
  readonly queueDepth: (read: () => number) => void;
  readonly syncsInProgress: (read: () => number) => void;
  readonly leaseRenewed: (at: number) => void;
}

const SECONDS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
const NAME = { name: 'pods' } as const;

/** Queue figures under client-go's names, ours under `svk_`. */
export const createInstruments = (registry: MetricsRegistry, clock: Clock): Instruments => {
  const depth = registry.gauge({ name: 'workqueue_depth', help: 'Pods that wait to be worked on.', labels: ['name'] });
  const busy = registry.gauge({
    name: 'workqueue_in_progress',
    help: 'Pods that are being worked on.',
    labels: ['name'],
  });
  const wait = registry.histogram({
    name: 'workqueue_queue_duration_seconds',
    help: 'How long a pod waits in the queue before it is worked on.',
    labels: ['name'],
    buckets: SECONDS,
  });
  const sync = registry.histogram({
    name: 'svk_pod_sync_duration_seconds',
    help: 'How long one reconcile of a pod takes.',
    labels: ['result'],
    buckets: SECONDS,
  });
  const calls = registry.histogram({
    name: 'svk_provider_call_duration_seconds',
    help: 'How long a call of the provider takes.',
    labels: ['method', 'result'],
    buckets: SECONDS,
  });
  const leaseAge = registry.gauge({
    name: 'svk_node_lease_age_seconds',
    help: 'Time since the lease of the node was last renewed.',
  });
  let renewedAt: number | undefined;
  leaseAge.read({}, () => (renewedAt === undefined ? Number.NaN : (clock.now() - renewedAt) / 1_000));
  return {
    queueWait: (seconds) => wait.observe(NAME, seconds),
    sync: (result, seconds) => sync.observe({ result }, seconds),
    providerCall: (method, result, seconds) => calls.observe({ method, result }, seconds),
    queueDepth: (read) => depth.read(NAME, read),
    syncsInProgress: (read) => busy.read(NAME, read),
    leaseRenewed: (at) => {
      renewedAt = at;
    },
  };
};
