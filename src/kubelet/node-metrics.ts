import type { KubeletRequest, KubeletResponse } from './http.ts';
import { metrics, metricsText } from './metrics-text.ts';
import { readPodUsage, type UsageDependencies } from './pod-usage.ts';
import { containerFamilies } from './resource-metrics.ts';

/** Figures of the process that answers, in Prometheus' text format. */
export type ProcessMetrics = () => Promise<string>;

/**
 * `GET /metrics`: the figures of the process behind this endpoint. A function has none that would outlive its invocation:
 * it tells since when it runs.
 */
export const getNodeMetrics = async (
  { nodeUsage }: Pick<UsageDependencies, 'nodeUsage'>,
  processMetrics: ProcessMetrics | undefined,
): Promise<KubeletResponse> =>
  processMetrics === undefined
    ? metrics([
        {
          name: 'process_start_time_seconds',
          type: 'gauge',
          help: 'Start time of the process since unix epoch in seconds.',
          samples: [{ labels: {}, value: nodeUsage.since / 1_000 }],
        },
      ])
    : metricsText(await processMetrics());

/**
 * `GET /metrics/cadvisor`: the container figures among cAdvisor's names that the provider has. Agents scrape it of every
 * node: where there is nothing to tell it is empty and valid.
 */
export const getCadvisorMetrics = async (
  { signal }: KubeletRequest,
  dependencies: UsageDependencies,
): Promise<KubeletResponse> => metrics(containerFamilies((await readPodUsage(dependencies, signal)) ?? []));

/** `GET /metrics/probes`: probes run beside the containers, where nobody counts them. */
export const getProbeMetrics = (): KubeletResponse => metrics([]);
