import type { Kubernetes } from '../../ports/kubernetes.ts';
import { createAccessApi } from './access-api.ts';
import { createClusterApi, createEventsApi, createSourcesApi } from './cluster-api.ts';
import type { KubernetesClient } from './kubernetes-client.ts';
import { createLeasesApi, createNodesApi } from './nodes-api.ts';
import { createPodsApi } from './pods-api.ts';

/** The Kubernetes port over one API server. */
export const createKubernetes = (client: KubernetesClient): Kubernetes => ({
  pods: createPodsApi(client),
  nodes: createNodesApi(client),
  leases: createLeasesApi(client),
  events: createEventsApi(client),
  sources: createSourcesApi(client),
  cluster: createClusterApi(client),
  access: createAccessApi(client),
});
