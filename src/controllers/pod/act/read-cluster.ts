import type { PodSync } from '../pod-sync.ts';

/** Reads the cluster's id (the UID of namespace kube-system), and the one the node was registered with. */
export const readCluster = async (sync: PodSync): Promise<void> => {
  const { kubernetes, nodeStore, logger } = sync.dependencies;
  const [namespace, nodeRow] = await Promise.all([
    kubernetes.cluster.namespace('kube-system', sync.signal),
    nodeStore.get(sync.view.node),
  ]);
  const cluster = { actual: namespace.metadata?.uid, registered: nodeRow?.clusterId };
  if (cluster.actual !== cluster.registered) {
    logger.error('the API server is not the one the node was registered with: nothing is stopped', {
      node: sync.view.node,
      pod: sync.view.identity,
      ...cluster,
    });
  }
  sync.know({ cluster });
};
