import { expect, it } from 'vitest';
import { PodWorld } from '../../support/pod-world.ts';

/** ECS starts 100 tasks at once and 20 a second; here, as everything else, a fifth of it. */
const LIMITS = {
  launch: { burst: 20, perSecond: 4 },
  modify: { burst: 20, perSecond: 8 },
  read: { burst: 20, perSecond: 4 },
};
const PODS = 100;
/** What the burst leaves over, at that rate. */
const LEAST_MS = 20_000;

// DESIGN rules otherwise than the case in one point: no bucket is shared. The service refuses what is too much, and those it
// refused take turns, which the node's row hands out.
it('T-03 starts all pods of a Deployment at the rate ECS allows, each once, and fails none', async () => {
  const world = await PodWorld.create();
  world.provider.limit(LIMITS);
  const names = Array.from({ length: PODS }, (_, index) => `web-${index}`);
  for (const name of names) world.kubernetes.addPod(world.aPod({ name }));
  const phases = (): ReadonlySet<string | undefined> => new Set(names.map((name) => world.status(name).phase));
  let waited = 0;
  while (waited < 15 * LEAST_MS && [...phases()].join() !== 'Running') {
    await world.pass(10_000);
    waited += 10_000;
    await world.happens(() => {
      for (const { id, phase } of world.provider.live()) if (phase === 'starting') world.provider.run(id);
    });
    expect(phases()).not.toContain('Failed');
  }
  expect([...phases()]).toEqual(['Running']);
  expect(world.provider.workloads()).toHaveLength(PODS);
  expect(waited).toBeGreaterThanOrEqual(LEAST_MS);
});
