import { wholeSecondTime } from '../core/micro-time.ts';
import type { KubeletRequest, KubeletResponse } from './http.ts';
import { NO_FIGURES, newestOf, type PodUsage, readPodUsage, sumOf, type UsageDependencies } from './pod-usage.ts';
import { json } from './responses.ts';

/**
 * `GET /stats/summary`: kubelet's stats/v1alpha1 Summary. Only figures the provider has: CPU and memory of containers,
 * their sums for pods and the node; no file systems, no system containers.
 */
export const getStatsSummary = async (
  { signal }: KubeletRequest,
  dependencies: UsageDependencies,
): Promise<KubeletResponse> => {
  const { node, nodeUsage } = dependencies;
  const pods = await readPodUsage(dependencies, signal);
  if (pods === undefined) return NO_FIGURES;
  const containers = pods.flatMap((pod) => pod.containers);
  const at = newestOf(containers);
  const memory = sumOf(containers.map((one) => one.memory?.workingSetBytes));
  return json(200, {
    node: {
      nodeName: node,
      startTime: wholeSecondTime(nodeUsage.since),
      ...(at === undefined
        ? {}
        : figures(at, nodeUsage.add(pods), sumOf(containers.map((one) => one.cpu?.usageNanoCores)), memory)),
    },
    pods: pods.map(podStats),
  });
};

const podStats = ({ pod, startedAt, containers }: PodUsage): unknown => {
  const at = newestOf(containers);
  return {
    podRef: { name: pod.name, namespace: pod.namespace, uid: pod.uid },
    startTime: wholeSecondTime(startedAt),
    containers: containers.map((one) => ({
      name: one.name,
      startTime: wholeSecondTime(one.startedAt),
      ...figures(one.at, one.cpu?.usageCoreNanoSeconds, one.cpu?.usageNanoCores, one.memory?.workingSetBytes),
    })),
    ...(at === undefined
      ? {}
      : figures(
          at,
          sumOf(containers.map(({ cpu }) => cpu?.usageCoreNanoSeconds)),
          sumOf(containers.map(({ cpu }) => cpu?.usageNanoCores)),
          sumOf(containers.map(({ memory }) => memory?.workingSetBytes)),
        )),
  };
};

const figures = (
  at: number,
  usageCoreNanoSeconds: number | undefined,
  usageNanoCores: number | undefined,
  workingSetBytes: number | undefined,
): Readonly<Record<string, unknown>> => {
  const time = wholeSecondTime(at);
  return {
    ...(usageCoreNanoSeconds !== undefined && {
      cpu: {
        time,
        ...(usageNanoCores !== undefined && { usageNanoCores: Math.round(usageNanoCores) }),
        usageCoreNanoSeconds: Math.round(usageCoreNanoSeconds),
      },
    }),
    ...(workingSetBytes !== undefined && { memory: { time, workingSetBytes: Math.round(workingSetBytes) } }),
  };
};
