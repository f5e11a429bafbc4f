import { createKubernetes } from '../../../adapters/kubernetes/kubernetes-api.ts';
import type { KubernetesClient } from '../../../adapters/kubernetes/kubernetes-client.ts';
import { type Check, MissingFact } from '../check.ts';
import { type Finding, fail, pass } from '../finding.ts';

/** Whether the API server answers, and the operator looks at the same cluster as the functions. */
export const clusterCheck: Check = {
  name: 'cluster',
  run: async (world, signal) => {
    let operator: KubernetesClient;
    try {
      operator = await world.operator();
    } catch (error) {
      if (!(error instanceof MissingFact)) throw error;
      const why = error.cause instanceof Error ? error.cause.message : error.message;
      return [fail(why, 'name a kubeconfig by --kubeconfig, and a context of it by --context')];
    }
    const version = await createKubernetes(operator).cluster.version(signal);
    const answered = pass(`the API server answers: ${version}`);
    const functions = await world.functions().catch((error: unknown) => {
      if (error instanceof MissingFact) return undefined;
      throw error;
    });
    if (functions === undefined) return [answered];
    const [ours, theirs] = await Promise.all([operator, functions].map((client) => uidOf(client, signal)));
    return [answered, judgeSameCluster(ours, theirs, world.deployment)];
  },
};

/** A cluster is known by the UID of its namespace kube-system. */
const uidOf = async (client: KubernetesClient, signal: AbortSignal): Promise<string> =>
  (await createKubernetes(client).cluster.namespace('kube-system', signal)).metadata?.uid ?? '';

export const judgeSameCluster = (ours: string | undefined, theirs: string | undefined, deployment: string): Finding =>
  ours === theirs
    ? pass('the functions use the cluster of this kubeconfig')
    : fail(
        'the functions use another cluster than this kubeconfig',
        `svk credentials set --deployment ${deployment} with this kubeconfig, or give the other one to doctor`,
      );
