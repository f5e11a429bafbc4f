import * as z from 'zod/mini';
import { TransientError } from '../../core/errors.ts';
import type { ConfigMap, Namespace, Secret, Service } from '../../model/kubernetes.ts';
import type { ClusterApi, EventsApi, SourcesApi } from '../../ports/kubernetes.ts';
import type { KubernetesClient } from './kubernetes-client.ts';
import { corePath } from './paths.ts';

/** Events, recorded in the namespace their metadata names. */
export const createEventsApi = (client: KubernetesClient): EventsApi => ({
  create: async (event, signal) => {
    const path = corePath(event.metadata.namespace ?? 'default', 'events');
    await client.create(path, { apiVersion: 'v1', kind: 'Event', ...event }, { signal });
  },
});

/** ConfigMaps, Secrets and Services, read one by one so that no list permission on Secrets is needed. */
export const createSourcesApi = (client: KubernetesClient): SourcesApi => ({
  configMap: (namespace, name, signal) => client.get<ConfigMap>(corePath(namespace, 'configmaps', name), { signal }),
  secret: (namespace, name, signal) => client.get<Secret>(corePath(namespace, 'secrets', name), { signal }),
  services: async (namespace, signal) =>
    (await client.list<Service>(corePath(namespace, 'services'), { signal })).items,
  service: (namespace, name, signal) => client.get<Service>(corePath(namespace, 'services', name), { signal }),
});

const versionInfo = z.looseObject({ gitVersion: z.string() });

/** What is asked about the cluster itself. */
export const createClusterApi = (client: KubernetesClient): ClusterApi => ({
  namespace: (name, signal) => client.get<Namespace>(`/api/v1/namespaces/${encodeURIComponent(name)}`, { signal }),
  version: async (signal) => {
    const answer = versionInfo.safeParse(await client.get('/version', { signal }));
    if (!answer.success) throw new TransientError('GET /version: no gitVersion; is this a Kubernetes API server?');
    return answer.data.gitVersion;
  },
});
