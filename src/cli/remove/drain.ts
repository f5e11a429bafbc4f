import type { KubernetesClient } from '../../adapters/kubernetes/kubernetes-client.ts';
import { corePath, nodePath } from '../../adapters/kubernetes/paths.ts';
import type { Clock } from '../../core/clock.ts';
import { ignoreNotFound, PermanentError } from '../../core/errors.ts';
import type { Pod } from '../../model/kubernetes.ts';

const ASK_EVERY_MS = 1_000;

/** What a drain is done with. */
export interface DrainTools {
  readonly client: KubernetesClient;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

/** No more pods are scheduled to the node. One that is not there needs nothing. */
export const cordon = async (node: string, { client, signal }: DrainTools): Promise<void> => {
  await ignoreNotFound(client.patch(nodePath(node), 'merge', { spec: { unschedulable: true } }, { signal }));
};

/** Pods of the node that are not over yet. */
export const livePods = async (node: string, { client, signal }: DrainTools): Promise<readonly Pod[]> => {
  const query = { fieldSelector: `spec.nodeName=${node}` };
  const { items } = await client.list<Pod>('/api/v1/pods', { signal, query });
  return items.filter(({ status }) => status?.phase !== 'Succeeded' && status?.phase !== 'Failed');
};

/** Deletes the pods with their own grace periods and waits until they are gone. @throws {PermanentError} naming those that stay. */
export const drain = async (
  nodes: readonly string[],
  timeoutMs: number,
  { client, clock, signal }: DrainTools,
): Promise<void> => {
  const tools = { client, clock, signal };
  const left = async (): Promise<readonly Pod[]> =>
    (await Promise.all(nodes.map((node) => livePods(node, tools)))).flat();
  for (const { metadata } of await left())
    await ignoreNotFound(client.delete(corePath(metadata?.namespace ?? '', 'pods', metadata?.name ?? ''), { signal }));
  for (const end = clock.now() + timeoutMs; ; await clock.sleep(ASK_EVERY_MS, signal)) {
    const pods = await left();
    if (pods.length === 0) return;
    if (clock.now() >= end)
      throw new PermanentError(
        `${pods.length} pods are still there: ${podNames(pods)}; are they being made anew, or held by finalizers?`,
      );
  }
};

/** The first few of them. */
export const podNames = (pods: readonly Pod[]): string => {
  const names = pods.map(({ metadata }) => `${metadata?.namespace}/${metadata?.name}`);
  return names.length > 5 ? `${names.slice(0, 5).join(', ')} and ${names.length - 5} more` : names.join(', ');
};
