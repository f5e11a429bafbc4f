import { describe, expect, it } from 'vitest';
import type { ContainerState, Pod } from '../../../src/model/kubernetes.ts';
import type { WorkloadEnd } from '../../../src/model/workload.ts';
import type { PodWish } from '../../support/a-pod.ts';
import { PodWorld } from '../../support/pod-world.ts';

const running = async (wish: PodWish = {}): Promise<{ world: PodWorld; id: string }> => {
  const world = await PodWorld.create();
  await world.addPod(wish);
  const { id } = world.workload;
  await world.happens(() => world.provider.run(id));
  return { world, id };
};

const state = (world: PodWorld): ContainerState => world.status().containerStatuses?.[0]?.state ?? {};

describe('a status that is written while somebody else writes', () => {
  it('is decided anew and written at once', async () => {
    const world = await PodWorld.create();
    let edits = 0;
    world.kubernetes.beforeEach(({ method }) => {
      if (method !== 'pods.patchStatus' || edits > 0) return;
      edits += 1;
      world.kubernetes.updatePod('default', 'web', (pod) => ({
        ...pod,
        metadata: { ...pod.metadata, labels: { edit: String(edits) } },
      }));
    });
    await world.addPod();
    expect(edits).toBe(1);
    expect(state(world).waiting?.reason).toBe('ContainerCreating');
    expect(world.pod().metadata?.labels).toEqual({ edit: '1' });
    expect(world.logger.lines.filter(({ level }) => level === 'warn')).toEqual([]);
  });

  it('is left for later where that goes on and on', async () => {
    const world = await PodWorld.create();
    let edits = 0;
    let isBusy = true;
    world.kubernetes.beforeEach(({ method }) => {
      if (method !== 'pods.patchStatus' || !isBusy) return;
      edits += 1;
      world.kubernetes.updatePod('default', 'web', (pod) => ({
        ...pod,
        metadata: { ...pod.metadata, labels: { edit: String(edits) } },
      }));
    });
    await world.addPod();
    // Four times for the pod's binding, four times for the news of its launch.
    expect(edits).toBe(8);
    isBusy = false;
    await world.pass(60_000);
    expect(state(world).waiting?.reason).toBe('ContainerCreating');
    expect(world.provider.calls.filter((call) => call === 'launch')).toHaveLength(1);
  });
});

describe('the status of a pod that has ended', () => {
  it.each([
    { exitCode: 0, ready: 'False PodCompleted' },
    { exitCode: 1, ready: 'False PodFailed' },
  ])('S-03 is not ready any more, and still scheduled: exit code $exitCode', async ({ exitCode, ready }) => {
    const { world, id } = await running({ restartPolicy: 'Never' });
    await world.happens(() => world.provider.exit(id, exitCode));
    expect(world.conditions()).toMatchObject({ Ready: ready, ContainersReady: ready });
    expect(world.conditions()['PodScheduled']).toBe('True');
    expect(world.conditions()['Initialized']).toMatch(/^True/);
  });

  it.each([
    {
      of: 'want of memory',
      exitCode: 137,
      container: { reason: 'OOMKilled', message: 'OutOfMemoryError: Container killed due to memory usage' },
      reason: 'OOMKilled',
    },
    { of: 'a signal', exitCode: 137, container: {}, reason: 'Error' },
    { of: 'SIGTERM', exitCode: 143, container: {}, reason: 'Error' },
  ])('S-07 tells $of', async ({ exitCode, container, reason }) => {
    const { world, id } = await running({ restartPolicy: 'Never' });
    await world.happens(() => world.provider.exit(id, exitCode, container));
    expect(state(world).terminated).toMatchObject({ exitCode, reason });
  });

  it('S-07 calls nothing want of memory that we have stopped ourselves', async () => {
    const { world, id } = await running({ metadata: { finalizers: ['example.com/look'] } });
    world.provider.stopsAtOnce = false;
    world.kubernetes.deletePod('default', 'web');
    await world.settle();
    await world.happens(() => world.provider.exit(id, 137));
    expect(state(world).terminated).toMatchObject({ exitCode: 137, reason: 'Error' });
  });

  const end = (reason: string, message: string): WorkloadEnd => ({ kind: 'exited', reason, message });
  it.each([
    {
      from: 'the container',
      message: 'of the container',
      told: end('Exited', 'of the task'),
      shown: 'of the container',
    },
    { from: 'the task', message: undefined, told: end('Exited', 'of the task'), shown: 'of the task' },
    {
      from: 'the code',
      message: undefined,
      told: end('EssentialContainerExited', ''),
      shown: 'EssentialContainerExited',
    },
    { from: 'nobody', message: undefined, told: end('', ''), shown: 'task stopped without a reason' },
  ])('S-13 says why, by $from', async ({ message, told, shown }) => {
    const { world, id } = await running({ restartPolicy: 'Never' });
    await world.happens(() => {
      const ended = world.provider.exit(id, 1, message === undefined ? {} : { message });
      world.provider.plant({ ...ended, version: ended.version + 1, end: told });
    });
    expect(state(world).terminated?.message).toBe(shown);
  });
});

describe('what others say about a pod', () => {
  const changeStatus = (world: PodWorld, status: Partial<NonNullable<Pod['status']>>): void =>
    void world.kubernetes.updatePod('default', 'web', (pod) => ({ ...pod, status: { ...pod.status, ...status } }));

  it('S-05 stays: its QoS class, its nominated node and conditions of theirs', async () => {
    const { world, id } = await running({ restartPolicy: 'Never' });
    const foreign = { type: 'example.com/seen', status: 'True' };
    changeStatus(world, {
      qosClass: 'Guaranteed',
      nominatedNodeName: 'other',
      conditions: [...(world.status().conditions ?? []), foreign],
    });
    await world.happens(() => world.provider.exit(id, 0));
    expect(world.status()).toMatchObject({ phase: 'Succeeded', qosClass: 'Guaranteed', nominatedNodeName: 'other' });
    expect(world.conditions()[foreign.type]).toBe('True');
  });

  it('S-19 a readiness gate decides over Ready, whenever it changes', async () => {
    const type = 'example.com/registered';
    const { world } = await running({ readinessGates: [{ conditionType: type }] });
    const gate = (status: string): void =>
      changeStatus(world, {
        conditions: [...(world.status().conditions ?? []).filter((one) => one.type !== type), { type, status }],
      });
    expect(world.conditions()).toMatchObject({ ContainersReady: 'True', Ready: 'False ReadinessGatesNotReady' });
    gate('True');
    await world.pass(60_000);
    expect(world.conditions()).toMatchObject({ Ready: 'True', [type]: 'True' });
    gate('False');
    await world.pass(60_000);
    expect(world.conditions()).toMatchObject({ Ready: 'False ReadinessGatesNotReady', [type]: 'False' });
  });
});
