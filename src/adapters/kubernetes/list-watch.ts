import type { Random } from '../../core/clock.ts';
import type { Pod, Service } from '../../model/kubernetes.ts';
import type { ListWatch } from '../../ports/list-watch.ts';
import type { KubernetesClient } from './kubernetes-client.ts';
import { boundTo } from './pods-api.ts';
import { watch } from './watch.ts';

/** A watch lasts between five and ten minutes, as client-go's do: those of many processes are not renewed at once. */
const WATCH_SECONDS = 300;

/** The pods bound to `node`. */
export const podsOfNode = (client: KubernetesClient, node: string, random: Random): ListWatch<Pod> =>
  listWatch(client, '/api/v1/pods', random, boundTo(node));

/** The services of all namespaces. */
export const allServices = (client: KubernetesClient, random: Random): ListWatch<Service> =>
  listWatch(client, '/api/v1/services', random);

const listWatch = <T>(
  client: KubernetesClient,
  path: string,
  random: Random,
  query: Readonly<Record<string, string>> = {},
): ListWatch<T> => ({
  list: (signal) => client.list<T>(path, { signal, query }),
  watch: (resourceVersion, signal) =>
    watch<T>(client, path, {
      signal,
      resourceVersion,
      query,
      timeoutSeconds: Math.round(WATCH_SECONDS * (1 + random.next())),
    }),
});
