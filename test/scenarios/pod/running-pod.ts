import { PodWorld } from '../../support/pod-world.ts';

/** A world with one pod, whose task runs. */
export const runningPod = async (wish = {}): Promise<{ world: PodWorld; id: string; uid: string }> => {
  const world = await PodWorld.create();
  const { metadata } = await world.addPod(wish);
  const { id } = world.workload;
  await world.happens(() => world.provider.run(id));
  return { world, id, uid: metadata?.uid ?? '' };
};
