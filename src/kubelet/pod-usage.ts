import { ignoreNotFound } from '../core/errors.ts';
import type { PodIdentity } from '../model/pod-identity.ts';
import type { ContainerStats } from '../model/workload-stats.ts';
import type { PodStore } from '../ports/pod-store.ts';
import type { Provider } from '../ports/provider.ts';
import type { KubeletResponse } from './http.ts';
import type { NodeUsage } from './node-usage.ts';
import { text } from './responses.ts';

export interface UsageDependencies {
  readonly node: string;
  readonly podStore: Pick<PodStore, 'knownPods'>;
  readonly provider: Pick<Provider, 'stats'>;
  readonly nodeUsage: NodeUsage;
}

/** What one pod of this node uses. */
export interface PodUsage {
  readonly pod: PodIdentity;
  readonly workloadId: string;
  readonly startedAt: number;
  readonly containers: readonly ContainerStats[];
}

/**
 * The figures of this node's pods, by namespace and name. A workload no row of this node knows belongs to another node, or
 * to none any more. @throws {NotFoundError} where the provider has no figures.
 */
export const readPodUsage = async (
  { node, podStore, provider }: Pick<UsageDependencies, 'node' | 'podStore' | 'provider'>,
  signal: AbortSignal,
): Promise<readonly PodUsage[] | undefined> => {
  const stats = provider.stats && (await ignoreNotFound(provider.stats(signal)));
  if (stats === undefined) return undefined;
  const known = await podStore.knownPods(node);
  const pods = new Map(known.map(({ pod }) => [pod.uid, pod]));
  return stats
    .flatMap(({ podUid, ...usage }) => {
      const pod = pods.get(podUid);
      return pod === undefined ? [] : { pod, ...usage };
    })
    .sort((a, b) => compare(a.pod.namespace, b.pod.namespace) || compare(a.pod.name, b.pod.name));
};

/** virtual-kubelet has no such path where its provider has no figures; here the answer says why. */
export const NO_FIGURES: KubeletResponse = text(404, 'the provider of this node has no figures of what its pods use');

const compare = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** A figure that is only known where every one of its parts is; undefined also where there are no parts. */
export const sumOf = (figures: readonly (number | undefined)[]): number | undefined =>
  figures.length === 0
    ? undefined
    : figures.reduce((sum, figure) => (sum === undefined || figure === undefined ? undefined : sum + figure));

/** When the newest of the figures were taken; undefined where there are none. */
export const newestOf = (containers: readonly ContainerStats[]): number | undefined =>
  containers.length === 0 ? undefined : Math.max(...containers.map(({ at }) => at));
