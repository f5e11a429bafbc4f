import { describe, expect, it } from 'vitest';
import { ConflictError, TransientError } from '../../../src/core/errors.ts';
import { NODE, PodWorld } from '../../support/pod-world.ts';

const runningPod = async (wish = {}): Promise<{ world: PodWorld; id: string }> => {
  const world = await PodWorld.create();
  world.provider.stopsAtOnce = false;
  await world.addPod(wish);
  const { id } = world.workload;
  await world.happens(() => world.provider.run(id));
  return { world, id };
};

describe('deleting a pod', () => {
  it('L-05 stops the task, shows the end, and only then lets the object go', async () => {
    const { world, id } = await runningPod();
    const seen: string[] = [];
    world.kubernetes.onPod((change, { status }) => seen.push(`${change} ${status?.phase}`));

    world.kubernetes.deletePod('default', 'web');
    await world.pass(20_000);
    expect(world.provider.get(id)).toMatchObject({ phase: 'stopping', stopping: true });
    expect(world.status().phase).toBe('Running');
    expect(world.conditions()['Ready']).toBe('False ContainersNotReady');

    await world.happens(() => world.provider.exit(id, 143));
    expect(seen).toEqual(['MODIFIED Running', 'MODIFIED Running', 'MODIFIED Failed', 'DELETED Failed']);
    expect(world.kubernetes.findPod('default', 'web')).toBeUndefined();
    expect(world.podStore.rows()).toEqual([]);
    expect(world.events()).toContain('Killing: Stopping container main');
  });

  it('goes as soon as the containers are down, long before the grace period is over', async () => {
    const { world, id } = await runningPod({ terminationGracePeriodSeconds: 120 });
    world.kubernetes.deletePod('default', 'web');
    await world.pass(10_000);
    await world.happens(() => world.provider.exit(id, 0));
    expect(world.kubernetes.findPod('default', 'web')).toBeUndefined();
  });

  it('L-01 is done with, at once, where another pod has got its name when the object is to go', async () => {
    const { world, id } = await runningPod();
    let isReplaced = false;
    world.kubernetes.beforeEach(({ method }) => {
      if (method !== 'pods.delete' || isReplaced) return;
      isReplaced = true;
      world.kubernetes.deletePod('default', 'web', 0);
      world.kubernetes.addPod(world.aPod());
    });
    const { uid } = world.pod().metadata ?? {};
    world.kubernetes.deletePod('default', 'web');
    await world.settle();
    world.admits = false;
    await world.happens(() => world.provider.exit(id, 0));
    expect(isReplaced).toBe(true);
    expect(world.podStore.rows().map(({ pod }) => pod.uid)).not.toContain(uid);
    expect(world.pod().metadata?.deletionTimestamp).toBeUndefined();
    expect(world.logger.lines.filter(({ level }) => level === 'warn')).toEqual([]);
  });

  it('L-06 asks once for the stop, however often it hears of the deletion', async () => {
    const { world, id } = await runningPod();
    world.kubernetes.deletePod('default', 'web');
    for (let times = 0; times < 3; times += 1) world.wake(world.pod(), 'delete');
    await world.pass(30_000);
    world.wake(world.pod(), 'delete');
    await world.settle();
    expect(world.provider.calls.filter((call) => call === 'stop')).toHaveLength(1);
    expect(world.provider.get(id).phase).toBe('stopping');
  });

  it('a pod that was never launched goes at once', async () => {
    const world = await PodWorld.create();
    await world.nodeStore.put(NODE, { adoptedAt: undefined });
    await world.addPod();
    expect(world.provider.workloads()).toEqual([]);
    world.kubernetes.deletePod('default', 'web');
    await world.settle();
    expect(world.kubernetes.findPod('default', 'web')).toBeUndefined();
    expect(world.podStore.rows()).toEqual([]);
  });

  it('L-01 never touches the next pod of the same name', async () => {
    const { world, id } = await runningPod();
    const first = world.pod().metadata?.uid;
    world.kubernetes.beforeEach(({ method }) => {
      if (method !== 'pods.delete' || world.pod().metadata?.uid !== first) return;
      world.kubernetes.deletePod('default', 'web', 0);
      world.kubernetes.addPod({
        metadata: { name: 'web' },
        spec: { nodeName: NODE, containers: [{ name: 'main', image: 'b' }] },
      });
    });
    world.kubernetes.deletePod('default', 'web');
    await world.pass(10_000);
    await world.happens(() => world.provider.exit(id, 0));
    await world.pass(20_000);

    expect(world.pod().metadata).not.toHaveProperty('deletionTimestamp');
    expect(world.workload.podUid).toBe(world.pod().metadata?.uid);
    expect(world.podStore.rows().map(({ pod }) => pod.uid)).toEqual([world.pod().metadata?.uid]);
  });

  it('L-02 an event for a pod of before does not disturb the one that has its name now', async () => {
    const { world, id } = await runningPod();
    world.notifies = false;
    world.provider.exit(id, 1);
    const late = world.provider.notificationOf(id);
    world.kubernetes.deletePod('default', 'web', 0);
    await world.pass(60_000);
    await world.addPod();
    const before = world.pod();
    await world.deliver([{ kind: 'notification', notification: late }]);
    await world.settle();
    expect(world.pod()).toEqual(before);
    expect(world.podStore.rows()).toHaveLength(1);
  });

  it('a force delete that nobody told of stops the task once two reads agree, ten seconds apart', async () => {
    const { world, id } = await runningPod();
    await world.pass(60_000);
    world.admits = false;
    world.kubernetes.deletePod('default', 'web', 0);
    await world.pass(60_000);
    expect(world.provider.get(id).stopping).toBe(false);
    await world.pass(10_000);
    expect(world.provider.get(id).stopping).toBe(true);
    await world.happens(() => world.provider.exit(id, 137));
    await world.pass(10_000);
    expect(world.podStore.rows()).toEqual([]);
  });

  it.each([0, 5, 600])('L-18 a grace period of %i s is asked for as it is', async (seconds) => {
    const { world, id } = await runningPod({ terminationGracePeriodSeconds: 600 });
    const asked: number[] = [];
    const { stop } = world.provider;
    world.provider.stop = (workloadId, options) => {
      asked.push(options.graceSeconds);
      return stop.call(world.provider, workloadId, options);
    };
    world.kubernetes.deletePod('default', 'web', seconds);
    await world.pass(10_000);
    // The object of a force delete is gone: nobody knows its grace any more.
    expect(asked).toEqual([seconds === 0 ? 30 : seconds]);
    expect(world.provider.get(id).stopping).toBe(true);
  });

  it('a second deletion with less grace does not ask again, and still waits for the end', async () => {
    const { world, id } = await runningPod({ terminationGracePeriodSeconds: 120 });
    world.kubernetes.deletePod('default', 'web');
    await world.pass(10_000);
    world.kubernetes.deletePod('default', 'web', 5);
    await world.pass(10_000);
    expect(world.provider.calls.filter((call) => call === 'stop')).toHaveLength(1);
    expect(world.kubernetes.findPod('default', 'web')?.metadata?.deletionGracePeriodSeconds).toBe(5);
    await world.happens(() => world.provider.exit(id, 143));
    expect(world.kubernetes.findPod('default', 'web')).toBeUndefined();
  });

  it('a force delete that the webhook told of stops the task at once', async () => {
    const { world, id } = await runningPod();
    world.kubernetes.deletePod('default', 'web', 0);
    await world.pass(1_000);
    expect(world.provider.get(id).stopping).toBe(true);
  });

  it('leaves the object to its finalizers, and forgets the pod when they are gone', async () => {
    const { world, id } = await runningPod({ metadata: { finalizers: ['batch.kubernetes.io/job-tracking'] } });
    world.kubernetes.deletePod('default', 'web');
    await world.pass(10_000);
    await world.happens(() => world.provider.exit(id, 0));
    expect(world.status().phase).toBe('Succeeded');
    expect(world.kubernetes.count('pods.delete')).toBe(1);
    await world.pass(600_000);
    expect(world.kubernetes.count('pods.delete')).toBe(1);
    world.kubernetes.updatePod('default', 'web', (pod) => ({ ...pod, metadata: { ...pod.metadata, finalizers: [] } }));
    await world.pass(60_000);
    expect(world.podStore.rows()).toEqual([]);
  });

  it('a lost answer to the DELETE is no reason for a second pod to suffer, nor for a row to stay', async () => {
    const { world, id } = await runningPod();
    world.kubernetes.failNext('pods.delete', new TransientError('no answer'), 'after');
    world.kubernetes.deletePod('default', 'web');
    await world.pass(10_000);
    await world.happens(() => world.provider.exit(id, 0));
    await world.pass(60_000);
    expect(world.podStore.rows()).toEqual([]);
  });

  it('goes on after a stop that failed', async () => {
    const { world, id } = await runningPod();
    world.provider.faults.failNext('stop', new TransientError('503'));
    world.kubernetes.deletePod('default', 'web');
    await world.pass(20_000);
    expect(world.provider.get(id).stopping).toBe(true);
  });

  it('reads again where the pod has moved on before its status came', async () => {
    const { world, id } = await runningPod();
    world.kubernetes.failNext('pods.patchStatus', new ConflictError('the object has been modified'));
    await world.happens(() => world.provider.exit(id, 0));
    expect(world.status().containerStatuses?.[0]?.state).toHaveProperty('waiting');
  });

  it('its webhook messages lost, a deletion is found by the resync', async () => {
    const { world, id } = await runningPod();
    world.admits = false;
    world.kubernetes.deletePod('default', 'web');
    await world.pass(120_000);
    expect(world.provider.get(id).stopping).toBe(true);
  });
});
