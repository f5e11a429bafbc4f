import { afterAll, beforeAll, describe } from 'vitest';
import { describeCluster } from './describe-cluster.ts';
import { describeLeases } from './describe-leases.ts';
import { describeNodes } from './describe-nodes.ts';
import { describePods } from './describe-pods.ts';
import type { KubernetesWorld } from './kubernetes-world.ts';

/** What every implementation of the Kubernetes port must do, on whatever API server. */
export const describeKubernetes = (name: string, open: () => Promise<KubernetesWorld>): void => {
  describe(`Kubernetes port: ${name}`, () => {
    let world: KubernetesWorld | undefined;
    const current = (): KubernetesWorld => {
      if (!world) throw new Error('the world is not open');
      return world;
    };

    beforeAll(async () => {
      world = await open();
    });
    afterAll(() => world?.close());

    describePods(current);
    describeNodes(current);
    describeLeases(current);
    describeCluster(current);
  });
};
