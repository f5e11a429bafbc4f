import { afterAll, beforeAll, describe } from 'vitest';
import { type ApiWorld, newWorld } from './api-world.ts';
import { describeAccess } from './describe-access.ts';
import { describeDeletion } from './describe-deletion.ts';
import { describeLists } from './describe-lists.ts';
import { describeOtherKinds } from './describe-nodes.ts';
import { describeObjects } from './describe-objects.ts';
import { describePatches } from './describe-patches.ts';
import { describePodRules } from './describe-pods.ts';
import { describeWatches } from './describe-watches.ts';
import type { RawApi } from './raw-api.ts';

const GROUPS = [
  describeObjects,
  describePatches,
  describeDeletion,
  describeLists,
  describeWatches,
  describePodRules,
  describeOtherKinds,
  describeAccess,
];

/**
 * What every Kubernetes API our product and its tests use must do, seen on the wire. Runs on the embedded API in
 * `npm test` and on a real kube-apiserver in `npm run test:cluster`: the real one is the judge.
 */
export const describeKubernetesApi = (name: string, connect: () => Promise<RawApi>): void => {
  describe.each(GROUPS.map((group) => ({ group })))(`the Kubernetes API of ${name}`, ({ group }) => {
    let world: ApiWorld | undefined;
    beforeAll(async () => {
      world = await newWorld(await connect());
    });
    afterAll(async () => {
      await world?.api.delete(world.base);
      world?.api.close();
    });
    group(() => {
      if (!world) throw new Error('the namespace of the tests could not be made');
      return world;
    });
  });
};
