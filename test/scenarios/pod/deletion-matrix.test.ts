import { expect, it } from 'vitest';
import { PodWorld } from '../../support/pod-world.ts';

const MINUTE = 60_000;

type Policy = 'Always' | 'OnFailure' | 'Never';

interface Case {
  readonly policy: Policy;
  /** Of the DELETE; 0 is `--force`. */
  readonly grace: number;
  /** What the container says to SIGTERM. */
  readonly exitCode: number;
  readonly isHeld: boolean;
}

/** How far a pod has come when somebody deletes it. */
interface Stage {
  readonly stage: string;
  /** The policies under which a pod comes to this. */
  readonly policies: readonly Policy[];
  readonly reach: (world: PodWorld) => Promise<unknown>;
  /** True where its container runs, so that its end decides about the phase. */
  readonly runs: boolean;
}

const ALL: readonly Policy[] = ['Always', 'OnFailure', 'Never'];

const run = (world: PodWorld): Promise<void> => world.happens(() => world.provider.run(world.workload.id));

const STAGES: readonly Stage[] = [
  { stage: 'there is no room for it', policies: ALL, reach: async () => undefined, runs: false },
  { stage: 'its task is being made', policies: ALL, reach: async () => undefined, runs: false },
  {
    stage: 'its image is being pulled',
    policies: ALL,
    reach: (world) => world.happens(() => world.provider.pull(world.workload.id)),
    runs: false,
  },
  { stage: 'it runs', policies: ALL, reach: run, runs: true },
  {
    stage: 'it waits for its next run',
    policies: ['Always', 'OnFailure'],
    reach: async (world) => {
      for (let crashes = 0; crashes < 2; crashes += 1) {
        await run(world);
        await world.happens(() => world.provider.exit(world.workload.id, 1));
      }
    },
    runs: false,
  },
  {
    stage: 'it is being deleted already',
    policies: ALL,
    reach: async (world) => {
      await run(world);
      world.kubernetes.deletePod('default', 'web');
      await world.settle();
    },
    runs: true,
  },
];

const CASES: readonly Omit<Case, 'policy'>[] = [0, 1, 30, 3_600].flatMap((grace) =>
  [0, 1, 137, 143].flatMap((exitCode) => [true, false].map((isHeld) => ({ grace, exitCode, isHeld }))),
);

/** What is left of the pod: the phases it went through, whether it is there, and what lives. */
const lifeOf = async ({ stage, reach }: Stage, { policy, grace, exitCode, isHeld }: Case): Promise<object> => {
  const world = await PodWorld.create();
  const { kubernetes, provider, podStore } = world;
  provider.stopsAtOnce = false;
  if (stage === 'there is no room for it')
    provider.faults.nextLaunch({ kind: 'refused', cause: 'capacity', final: true, message: 'none left' });
  const finalizers = isHeld ? { metadata: { finalizers: ['example.com/hold'] } } : {};
  await world.addPod({ restartPolicy: policy, terminationGracePeriodSeconds: 3_600, ...finalizers });
  await reach(world);
  const launches = provider.workloads().length;

  kubernetes.deletePod('default', 'web', grace);
  for (let minutes = 0; minutes < 3; minutes += 1) {
    await world.pass(MINUTE);
    for (const { id, startedAt, stopping } of provider.live())
      if (stopping) await world.happens(() => provider.exit(id, startedAt === undefined ? undefined : exitCode));
  }
  const held = kubernetes.findPod('default', 'web');
  if (held)
    kubernetes.updatePod('default', 'web', (pod) => ({ ...pod, metadata: { ...pod.metadata, finalizers: [] } }));
  await world.pass(6 * MINUTE);
  return {
    heldAs: held?.status?.phase,
    isThere: kubernetes.findPod('default', 'web') !== undefined,
    lives: provider.live().map(({ id }) => id),
    launchedAfterwards: provider.workloads().length - launches,
    rows: podStore.rows().length,
  };
};

it.each(STAGES.flatMap((stage) => stage.policies.map((policy) => ({ ...stage, policy }))))(
  'a pod ($policy) that is deleted while $stage ends, by any grace and exit code, held or not, and leaves nothing behind',
  async ({ policy, ...stage }) => {
    for (const one of CASES) {
      const phase = stage.runs && one.exitCode === 0 ? 'Succeeded' : 'Failed';
      const life = await lifeOf(stage, { policy, ...one });
      expect({ ...one, ...life }).toEqual({
        ...one,
        heldAs: one.isHeld ? phase : undefined,
        isThere: false,
        lives: [],
        launchedAfterwards: 0,
        rows: 0,
      });
    }
  },
);
