import { describe, expect, it } from 'vitest';
import { aWorkload } from '../../support/a-workload.ts';
import { NODE, PodWorld } from '../../support/pod-world.ts';
import { runningPod } from './running-pod.ts';

const SIGNAL = new AbortController().signal;
const MINUTE = 60_000;

describe('tasks without a pod', () => {
  const orphan = aWorkload({ id: 'fake/orphan', podUid: 'gone', version: 3, ips: [], containers: [] });

  const sweep = async (world: PodWorld): Promise<void> => {
    const sweeping = world.collector.run([NODE], SIGNAL);
    await world.clock.advance(10_000);
    await sweeping;
    await world.settle();
  };

  it('L-08 are stopped once they are a minute old and two lists agree', async () => {
    const world = await PodWorld.create();
    world.provider.plant({ ...orphan, createdAt: world.clock.now() });
    await world.pass(50_000);
    await sweep(world);
    expect(world.provider.get(orphan.id).stopping).toBe(false);
    await world.pass(10_000);
    await sweep(world);
    expect(world.provider.get(orphan.id).stopping).toBe(true);
    expect(world.kubernetes.events.list).toMatchObject([
      { reason: 'OrphanTaskStopped', type: 'Warning', involvedObject: { kind: 'Node', name: NODE } },
    ]);
  });

  it("are left alone where the API server is another cluster's", async () => {
    const world = await PodWorld.create();
    world.provider.plant({ ...orphan, createdAt: 0 });
    world.kubernetes.putNamespace('kube-system', 'another-cluster');
    await sweep(world);
    expect(world.provider.get(orphan.id).stopping).toBe(false);
    expect(world.logger.lines.filter(({ level }) => level === 'error')).toHaveLength(1);
    await world.nodeStore.put(NODE, { clusterId: 'another-cluster' });
    await sweep(world);
    expect(world.provider.get(orphan.id).stopping).toBe(true);
  });

  it('N-05 are left alone where the second list shows their pod', async () => {
    const { world, id } = await runningPod();
    await world.pass(2 * MINUTE);
    world.podStore.clear();
    const list = world.kubernetes.pods.listMetadata;
    world.kubernetes.pods.listMetadata = async () => {
      world.kubernetes.pods.listMetadata = list;
      return [];
    };
    await sweep(world);
    expect(world.provider.get(id).stopping).toBe(false);
  });

  it('are left alone where their pod is listed: it gets its row back', async () => {
    const { world, id, uid } = await runningPod();
    await world.pass(2 * MINUTE);
    world.podStore.clear();
    await sweep(world);
    expect(world.provider.get(id).stopping).toBe(false);
    expect(world.state(uid).attempts).toMatchObject([{ workloadId: id }]);
  });

  it("of other deployments are nobody's business", async () => {
    const world = await PodWorld.create();
    world.provider.plant({ ...orphan, podUid: undefined, createdAt: 0 });
    await sweep(world);
    expect(world.provider.get(orphan.id).stopping).toBe(false);
  });
});
