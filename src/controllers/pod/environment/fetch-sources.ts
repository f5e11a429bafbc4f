import { NotFoundError, PermanentError } from '../../../core/errors.ts';
import type { Pod, Service } from '../../../model/kubernetes.ts';
import type { SourcesApi } from '../../../ports/kubernetes.ts';
import { type EnvironmentSources, type Fetched, sourcesOf } from './environment-sources.ts';

/**
 * Reads what the pod's environment refers to, and the Secrets in `pullSecrets`, side by side. Missing and forbidden objects
 * are answers; every other error rejects, because it says nothing about the pod.
 */
export const fetchSources = async (
  pod: Pod,
  api: SourcesApi,
  signal: AbortSignal,
  pullSecrets: readonly string[] = [],
): Promise<Pick<EnvironmentSources, 'configMaps' | 'secrets' | 'services'>> => {
  const namespace = pod.metadata?.namespace ?? 'default';
  const needed = sourcesOf(pod);
  // Among the services of its own namespace, where that is the pod's.
  const listsKubernetes = needed.services && namespace === 'default';
  const [configMaps, secrets, services, kubernetes] = await Promise.all([
    fetchAll(needed.configMaps, (name) => api.configMap(namespace, name, signal)),
    fetchAll([...new Set([...needed.secrets, ...pullSecrets])], (name) => api.secret(namespace, name, signal)),
    needed.services ? api.services(namespace, signal) : [],
    listsKubernetes ? undefined : fetchOne(() => api.service('default', 'kubernetes', signal)),
  ]);
  return { configMaps, secrets, services: [...services, ...foundService(kubernetes)] };
};

const fetchAll = async <T>(
  names: readonly string[],
  fetch: (name: string) => Promise<T>,
): Promise<Readonly<Record<string, Fetched<T>>>> =>
  Object.fromEntries(await Promise.all(names.map(async (name) => [name, await fetchOne(() => fetch(name))] as const)));

const fetchOne = async <T>(fetch: () => Promise<T>): Promise<Fetched<T>> => {
  try {
    return { kind: 'found', object: await fetch() };
  } catch (error) {
    if (error instanceof NotFoundError) return { kind: 'not-found' };
    if (error instanceof PermanentError) return { kind: 'unreadable', message: error.message };
    throw error;
  }
};

const foundService = (fetched: Fetched<Service> | undefined): readonly Service[] =>
  fetched?.kind === 'found' ? [fetched.object] : [];
