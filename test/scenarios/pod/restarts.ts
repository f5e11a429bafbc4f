import type { PodWorld } from '../../support/pod-world.ts';

/** Lets time pass until a workload lives again; how long that took, in steps of ten seconds. */
export const secondsToRestart = async (world: PodWorld): Promise<number> => {
  for (let waited = 0; waited <= 320; waited += 10) {
    if (world.provider.live().length > 0) return waited;
    await world.pass(10_000);
  }
  throw new Error('it is not restarted');
};
