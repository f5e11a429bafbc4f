import { corePath } from '../../../src/adapters/kubernetes/paths.ts';
import type { Pod } from '../../../src/model/kubernetes.ts';
import { type HistoryWorld, signal, until } from '../../support/history-world.ts';

/** For one history: above what the slowest takes on a busy machine. */
export const LIMIT_MS = 240_000;

export const labels = { app: 'history' };
export const selector = { matchLabels: labels };

export const deployment = (
  world: HistoryWorld,
  name: string,
  replicas: number,
  script = '',
  spec: object = {},
): object => ({
  metadata: { name },
  spec: { replicas, selector, template: { metadata: { labels }, spec: world.podSpec(script) }, ...spec },
});

export const deletePod = (world: HistoryWorld, { metadata }: Pod): Promise<void> =>
  world.client.delete(corePath(metadata?.namespace ?? '', 'pods', metadata?.name ?? ''), { signal });

/** When the containers of the pod's only task had ended, in milliseconds. */
export const endedAt = async (world: HistoryWorld, pod: Pod): Promise<number> =>
  (await world.taskOf(pod)).executionStoppedAt?.getTime() ?? Number.NaN;

/** When the pod's only task was made, in milliseconds. */
export const createdAt = async (world: HistoryWorld, pod: Pod): Promise<number> =>
  (await world.taskOf(pod)).createdAt?.getTime() ?? Number.NaN;

/** The only pod of a namespace, once it is Ready. */
export const readyPod = async (world: HistoryWorld, namespace: string): Promise<Pod> => {
  const [pod] = await world.readyPods(namespace, 1);
  if (!pod) throw new Error(`there is no pod in ${namespace}`);
  return pod;
};

/** The pod that has taken the place of `before`, once it is there. */
export const successorOf = async (world: HistoryWorld, before: Pod): Promise<Pod> => {
  let found: Pod | undefined;
  await until(`${before.metadata?.name} has a successor`, 60_000, async () => {
    const pods = await world.pods(before.metadata?.namespace ?? '');
    found = pods.find(({ metadata }) => metadata?.uid !== before.metadata?.uid);
    return found;
  });
  if (!found) throw new Error('there is no successor');
  return found;
};
