import type { MiddlewareObj } from '@middy/core';
import { EmfMetrics } from '../adapters/telemetry/emf-metrics.ts';
import type { Environment } from '../config/environment.ts';
import type { PodWorker } from '../controllers/pod/pod-worker.ts';
import type { Clock } from '../core/clock.ts';
import type { Provider } from '../ports/provider.ts';
import { NO_METRICS } from './no-metrics.ts';

/** What the functions tell of themselves beside Lambda's own figures. All of it is nothing where metrics are off. */
export interface FunctionMetrics {
  /** How old the lease of a node was when a scheduled run began. */
  readonly leaseSeen: (node: string, seconds: number) => void;
  /** The same worker, its results counted. */
  readonly counted: (worker: Pick<PodWorker, 'work'>) => Pick<PodWorker, 'work'>;
  /** The same provider, its launches counted. */
  readonly launching: (provider: Provider) => Provider;
  /** Around the handler: writes what the invocation has measured. */
  readonly middlewares: readonly MiddlewareObj[];
}

export interface FunctionMetricsOptions {
  readonly environment: Pick<Environment<unknown>, 'metrics' | 'settings'>;
  readonly clock: Clock;
  /** One line of the log, as it is. */
  readonly write: (line: string) => void;
}

/** Each figure with one set of labels is a metric of its own to CloudWatch, which has its price: infra/deploy/metrics.ts. */
export const createFunctionMetrics = ({ environment, clock, write }: FunctionMetricsOptions): FunctionMetrics => {
  const { deployment } = environment.settings;
  const emf =
    environment.metrics === 'emf'
      ? new EmfMetrics({ namespace: 'svk', dimensions: { deployment }, clock, write })
      : undefined;
  const registry = emf ?? NO_METRICS;
  const leaseAge = registry.gauge({
    name: 'svk_node_lease_age_seconds',
    help: 'Time since the lease of the node was last renewed.',
    labels: ['node'],
  });
  const syncs = registry.counter({ name: 'svk_pod_syncs_total', help: 'Reconciles of pods.', labels: ['result'] });
  const launches = registry.counter({ name: 'svk_launches_total', help: 'Tasks asked for.', labels: ['result'] });
  const flush = (): void => emf?.flush();
  return {
    leaseSeen: (node, seconds) => leaseAge.set({ node }, seconds),
    counted: (worker) => ({
      work: async (items, signal) => {
        const results = await worker.work(items, signal);
        for (const { ok } of results) syncs.add({ result: ok ? 'success' : 'error' });
        return results;
      },
    }),
    launching: (provider) =>
      emf === undefined ? provider : countingLaunches(provider, (result) => launches.add({ result })),
    middlewares: emf === undefined ? [] : [{ after: flush, onError: flush }],
  };
};

const countingLaunches = (provider: Provider, count: (result: string) => void): Provider =>
  new Proxy(provider, {
    get: (target, key): unknown => {
      const member: unknown = Reflect.get(target, key, target);
      if (typeof member !== 'function') return member;
      if (key !== 'launch') return member.bind(target) as unknown;
      return async (...args: Parameters<Provider['launch']>) => {
        const result = await target.launch(...args);
        count(result.kind);
        return result;
      };
    },
  });
