import type { KubeletRequest, KubeletResponse } from './http.ts';
import { type Family, metrics, type Sample } from './metrics-text.ts';
import { NO_FIGURES, newestOf, type PodUsage, readPodUsage, sumOf, type UsageDependencies } from './pod-usage.ts';

/**
 * `GET /metrics/resource`: what metrics-server scrapes, in Prometheus' text format 0.0.4, with kubelet's names. The labels
 * keep an order: `container,pod,namespace` and `namespace,pod` (virtual-kubelet's suite looks at the second one).
 */
export const getResourceMetrics = async (
  { signal }: KubeletRequest,
  dependencies: UsageDependencies,
): Promise<KubeletResponse> => {
  const pods = await readPodUsage(dependencies, signal);
  if (pods === undefined) return NO_FIGURES;
  const families = [...containerFamilies(pods), ...nodeFamilies(pods, dependencies), ...podFamilies(pods)];
  return metrics(families);
};

/** metrics-server drops a pod, and a node, of which any figure is zero: what is idle uses this much. */
const LEAST_SECONDS = 1e-9;
const LEAST_BYTES = 1;

const seconds = (nanoSeconds: number): number => Math.max(nanoSeconds / 1e9, LEAST_SECONDS);
const bytes = (count: number): number => Math.max(count, LEAST_BYTES);

/** CPU time, memory and start of every container, under kubelet's names. */
export const containerFamilies = (pods: readonly PodUsage[]): readonly Family[] => {
  const all = pods.flatMap(({ pod, containers }) =>
    containers.map((stats) => ({
      ...stats,
      labels: { container: stats.name, pod: pod.name, namespace: pod.namespace },
    })),
  );
  return [
    {
      name: 'container_cpu_usage_seconds_total',
      type: 'counter',
      help: 'Cumulative cpu time consumed by the container in core-seconds',
      samples: all.flatMap(({ labels, at, cpu }) =>
        cpu === undefined ? [] : { labels, at, value: seconds(cpu.usageCoreNanoSeconds) },
      ),
    },
    {
      name: 'container_memory_working_set_bytes',
      type: 'gauge',
      help: 'Current working set of the container in bytes',
      samples: all.flatMap(({ labels, at, memory }) =>
        memory === undefined ? [] : { labels, at, value: bytes(memory.workingSetBytes) },
      ),
    },
    {
      name: 'container_start_time_seconds',
      type: 'gauge',
      help: 'Start time of the container since unix epoch in seconds',
      samples: all.map(({ labels, startedAt }) => ({ labels, value: startedAt / 1_000 })),
    },
  ];
};

const nodeFamilies = (pods: readonly PodUsage[], { nodeUsage }: UsageDependencies): readonly Family[] => {
  const containers = pods.flatMap((pod) => pod.containers);
  const at = newestOf(containers);
  const taken = at === undefined ? {} : { at };
  const memory = containers.reduce((sum, one) => sum + (one.memory?.workingSetBytes ?? 0), 0);
  return [
    {
      name: 'node_cpu_usage_seconds_total',
      type: 'counter',
      help: 'Cumulative cpu time consumed by the node in core-seconds',
      samples: [{ labels: {}, ...taken, value: seconds(nodeUsage.add(pods)) }],
    },
    {
      name: 'node_memory_working_set_bytes',
      type: 'gauge',
      help: 'Current working set of the node in bytes',
      samples: [{ labels: {}, ...taken, value: bytes(memory) }],
    },
  ];
};

const podFamilies = (pods: readonly PodUsage[]): readonly Family[] => {
  const sums = (figure: (one: PodUsage['containers'][number]) => number | undefined): readonly Sample[] =>
    pods.flatMap(({ pod, containers }) => {
      const value = sumOf(containers.map(figure));
      const at = newestOf(containers);
      const labels = { namespace: pod.namespace, pod: pod.name };
      return value === undefined || at === undefined ? [] : { labels, at, value };
    });
  return [
    {
      name: 'pod_cpu_usage_seconds_total',
      type: 'counter',
      help: 'Cumulative cpu time consumed by the pod in core-seconds',
      samples: sums(({ cpu }) => cpu && seconds(cpu.usageCoreNanoSeconds)),
    },
    {
      name: 'pod_memory_working_set_bytes',
      type: 'gauge',
      help: 'Current working set of the pod in bytes',
      samples: sums(({ memory }) => memory && bytes(memory.workingSetBytes)),
    },
  ];
};
