import { describe, expect, it } from 'vitest';
import { PodWorld } from '../../support/pod-world.ts';
import { main } from './main-container.ts';
import { secondsToRestart } from './restarts.ts';

describe('the condition ConfigIssue, which Job failure policies ask for', () => {
  const failing = async (times: number): Promise<PodWorld> => {
    const world = await PodWorld.create();
    await world.addPod({ restartPolicy: 'Never' });
    for (let failures = 0; failures < times; failures += 1) {
      await world.happens(() => world.provider.failToStart(world.workload.id, 'ErrImagePull', 'not found'));
      while (world.provider.live().length === 0) await world.pass(10_000);
    }
    return world;
  };

  it('is not set for one pull that failed: registries have bad moments', async () => {
    expect((await failing(1)).conditions()).not.toHaveProperty('ConfigIssue');
  });

  it('is set from the second failure on, stays when the pod is deleted, and is taken back once the image is there', async () => {
    const world = await failing(2);
    expect(world.conditions()['ConfigIssue']).toBe('True ErrImagePull');
    await world.happens(() => world.provider.run(world.workload.id));
    expect(world.conditions()['ConfigIssue']).toBe('False ErrImagePull');

    const other = await failing(2);
    const seen: unknown[] = [];
    other.kubernetes.onPod((_change, { status }) =>
      seen.push([status?.phase, status?.conditions?.find(({ type }) => type === 'ConfigIssue')?.status]),
    );
    other.provider.stopsAtOnce = false;
    const { id } = other.workload;
    other.kubernetes.deletePod('default', 'web');
    await other.settle();
    await other.happens(() => other.provider.exit(id));
    expect(seen.at(-1)).toEqual(['Failed', 'True']);
  });

  it('is set where something the pod refers to is not there', async () => {
    const world = await PodWorld.create();
    await world.addPod({
      containers: [{ env: [{ name: 'A', valueFrom: { configMapKeyRef: { name: 'absent', key: 'a' } } }] }],
    });
    expect(world.conditions()['ConfigIssue']).toBe('True CreateContainerConfigError');
  });

  it('is left to whoever else has written it', async () => {
    const world = await PodWorld.create();
    const conditions = [{ type: 'ConfigIssue', status: 'True', reason: 'NonExistingImage' }];
    await world.addPod({ restartPolicy: 'Never', status: { conditions } });
    for (let failures = 0; failures < 2; failures += 1) {
      await world.happens(() => world.provider.failToStart(world.workload.id, 'ErrImagePull', 'not found'));
      while (world.provider.live().length === 0) await world.pass(10_000);
    }
    expect(world.conditions()['ConfigIssue']).toBe('True NonExistingImage');
    await world.happens(() => world.provider.run(world.workload.id));
    expect(world.conditions()['ConfigIssue']).toBe('True NonExistingImage');
  });
});

describe('an image that cannot be had', () => {
  it("is tried again whatever the restart policy says, with kubelet's waits", async () => {
    const world = await PodWorld.create();
    await world.addPod({ restartPolicy: 'Never' });
    const waits: number[] = [];
    for (let times = 0; times < 6; times += 1) {
      await world.happens(() => world.provider.failToStart(world.workload.id, 'ErrImagePull', 'not found'));
      waits.push(await secondsToRestart(world));
    }
    expect(waits).toEqual([10, 20, 40, 80, 160, 300]);
    expect(world.status().phase).toBe('Pending');
    expect(main(world).restartCount).toBe(0);
  });

  it('whose name cannot be read stays InvalidImageName, as with a kubelet', async () => {
    const world = await PodWorld.create();
    await world.addPod();
    for (let failures = 0; failures < 2; failures += 1) {
      await world.happens(() => world.provider.failToStart(world.workload.id, 'InvalidImageName', 'invalid reference'));
      expect(main(world).state?.waiting?.reason).toBe('InvalidImageName');
      await world.pass(10_000);
      expect(main(world).state?.waiting?.reason).toBe('InvalidImageName');
      while (world.provider.live().length === 0) await world.pass(10_000);
    }
  });

  it('shows ErrImagePull first and ImagePullBackOff from then on, until it is there', async () => {
    const world = await PodWorld.create();
    await world.addPod();
    const fail = () => world.happens(() => world.provider.failToStart(world.workload.id, 'ErrImagePull', 'not found'));
    await fail();
    expect(main(world).state).toEqual({ waiting: { reason: 'ErrImagePull', message: 'not found' } });
    await world.pass(10_000);
    await fail();
    await world.pass(10_000);
    expect(main(world).state?.waiting).toEqual({
      reason: 'ImagePullBackOff',
      message: 'Back-off pulling image "nginx:1.27": ErrImagePull: not found',
    });
    await world.pass(10_000);
    expect(main(world).state?.waiting?.reason).toBe('ImagePullBackOff');
    await world.happens(() => world.provider.run(world.workload.id));
    expect(main(world)).toMatchObject({ ready: true, restartCount: 0 });
    expect(world.events()).toEqual(
      expect.arrayContaining([
        'Failed: Failed to pull image "nginx:1.27": not found',
        'Failed: Error: ErrImagePull',
        'BackOff: Back-off pulling image "nginx:1.27"',
        'Failed: Error: ImagePullBackOff',
      ]),
    );
  });
});
