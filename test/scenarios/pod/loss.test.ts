import { describe, expect, it } from 'vitest';
import { NODE, PodWorld } from '../../support/pod-world.ts';
import { runningPod } from './running-pod.ts';

const SIGNAL = new AbortController().signal;
const MINUTE = 60_000;

describe('news that get lost, come late or twice', () => {
  it('S-11 S-09 an older event changes nothing, a repeated one neither', async () => {
    const { world, id } = await runningPod({ restartPolicy: 'Never' });
    const running = world.provider.notificationOf(id);
    await world.happens(() => world.provider.exit(id, 1));
    const before = world.pod();
    expect(before.status?.phase).toBe('Failed');
    const stopped = world.provider.notificationOf(id);
    for (const notification of [running, stopped, running, stopped]) {
      await world.deliver([{ kind: 'notification', notification }]);
    }
    expect(world.pod()).toEqual(before);
  });

  it('S-09 a version that comes after the end, without an exit code, does not move the phase', async () => {
    const { world, id } = await runningPod({ restartPolicy: 'Never' });
    await world.happens(() => world.provider.exit(id, 1));
    await world.happens(() => world.provider.exit(id));
    expect(world.status()).toMatchObject({
      phase: 'Failed',
      containerStatuses: [{ state: { terminated: { exitCode: 1 } } }],
    });
  });

  it('without any event a pod still runs, restarts and ends', async () => {
    const world = await PodWorld.create();
    world.notifies = false;
    await world.addPod({ restartPolicy: 'OnFailure' });
    world.provider.run(world.workload.id);
    await world.pass(2 * MINUTE);
    expect(world.status().phase).toBe('Running');
    world.provider.exit(world.workload.id, 1);
    await world.pass(6 * MINUTE);
    world.provider.run(world.workload.id);
    await world.pass(2 * MINUTE);
    world.provider.exit(world.workload.id, 0);
    await world.pass(6 * MINUTE);
    expect(world.status()).toMatchObject({ phase: 'Succeeded', containerStatuses: [{ restartCount: 1 }] });
  });

  it('T-06 describes many pods in one call, and finished ones never', async () => {
    const world = await PodWorld.create();
    world.notifies = false;
    for (let number = 0; number < 8; number += 1) await world.addPod({ name: `web-${number}` });
    await world.addPod({ name: 'job', restartPolicy: 'Never' });
    for (const { id } of world.provider.live()) world.provider.run(id);
    await world.pass(MINUTE);
    expect(world.provider.calls.filter((call) => call === 'describe')).toHaveLength(1);
  });
});

describe('a task that cannot be seen', () => {
  it('is not believed to be gone after one or two answers', async () => {
    const { world, id } = await runningPod();
    await world.pass(5 * MINUTE);
    world.provider.hide(id);
    world.notifies = false;
    await world.pass(5 * MINUTE + 90_000);
    world.provider.show(id);
    await world.pass(6 * MINUTE);
    expect(world.status().phase).toBe('Running');
    expect(world.provider.live()).toHaveLength(1);
  });

  it('L-09 is gone after one answer of a provider that is sure', async () => {
    const { world, id } = await runningPod({ restartPolicy: 'Never' });
    world.provider.isConclusive = true;
    world.provider.forget(id);
    await world.pass(6 * MINUTE);
    expect(world.status()).toMatchObject({ phase: 'Failed', reason: 'TaskLost' });
    // The beat that finds it missing does not decide: the pod's own question does.
    expect(world.provider.calls.filter((call) => call === 'describe')).toHaveLength(2);
  });

  it('L-09 is gone after three answers over two minutes: the pod has failed, and never runs again', async () => {
    const { world, id } = await runningPod({ restartPolicy: 'Never' });
    world.provider.forget(id);
    await world.pass(9 * MINUTE);
    expect(world.status()).toMatchObject({
      phase: 'Failed',
      reason: 'TaskLost',
      containerStatuses: [{ state: { terminated: { exitCode: 137, reason: 'ContainerStatusUnknown' } } }],
    });
    await world.pass(10 * MINUTE);
    expect(world.provider.workloads()).toEqual([]);
  });
});

describe('a task that turns up for a pod that is over', () => {
  it('is stopped as soon as it is heard of', async () => {
    const { world, id, uid } = await runningPod({ restartPolicy: 'Never' });
    await world.happens(() => world.provider.exit(id, 0));
    await world.pass(MINUTE);
    expect(world.status().phase).toBe('Succeeded');
    const late = { ...world.provider.get(id), id: 'fake/late', podUid: uid, attempt: 2, version: 1 } as const;
    const { end: _end, stoppedAt: _stoppedAt, endedAt: _endedAt, ...rest } = late;
    await world.happens(() => world.provider.plant({ ...rest, phase: 'running', stopping: false }));
    expect(world.provider.get('fake/late').stopping).toBe(true);
    expect(world.status().phase).toBe('Succeeded');
  });
});

describe("an API server that is another cluster's", () => {
  it('stops nothing and forgets nothing', async () => {
    const { world, id } = await runningPod();
    await world.pass(2 * MINUTE);
    world.kubernetes.putNamespace('kube-system', 'another-cluster');
    world.kubernetes.deletePod('default', 'web', 0);
    await world.pass(20 * MINUTE);
    await world.collector.run([NODE], SIGNAL);
    expect(world.provider.get(id)).toMatchObject({ phase: 'running', stopping: false });
    expect(world.podStore.rows()).toHaveLength(1);
  });

  it('N-05 a list that is empty by mistake stops nothing', async () => {
    const { world, id } = await runningPod();
    await world.pass(2 * MINUTE);
    const list = world.kubernetes.pods.listMetadata;
    world.kubernetes.pods.listMetadata = () => Promise.resolve([]);
    await world.pass(3 * MINUTE);
    world.kubernetes.pods.listMetadata = list;
    expect(world.provider.get(id).stopping).toBe(false);
  });
});
