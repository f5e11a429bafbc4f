import { describe, expect, it } from 'vitest';
import { PodWorld } from '../../support/pod-world.ts';

const PROBLEMS = [
  { field: 'spec.hostNetwork', message: 'Fargate has no host network; remove it' },
  { field: 'spec.volumes[0].hostPath', message: 'there is no host; use an emptyDir' },
];
const TEXT =
  'spec.hostNetwork: Fargate has no host network; remove it; spec.volumes[0].hostPath: there is no host; use an emptyDir';

const refusing = async (): Promise<PodWorld> => {
  const world = await PodWorld.create();
  world.provider.preparation = () => ({ ok: false, problems: PROBLEMS });
  return world;
};

describe('a pod that asks for what Fargate has not', () => {
  it('L-12 N-16 stays Pending for restartPolicy Always, with every problem in one event', async () => {
    const world = await refusing();
    await world.addPod();
    await world.pass(60 * 60_000);
    expect(world.status()).toMatchObject({ phase: 'Pending', reason: 'UnsupportedOnFargate', message: TEXT });
    expect(world.status().containerStatuses?.[0]?.state).toEqual({
      waiting: { reason: 'UnsupportedOnFargate', message: TEXT },
    });
    expect(world.events()).toEqual([`UnsupportedOnFargate: ${TEXT}`]);
    expect(world.kubernetes.count('pods.patchStatus')).toBe(1);
    expect(world.provider.calls).not.toContain('launch');
  });

  it('says so by the condition that Job failure policies ask for', async () => {
    const world = await refusing();
    await world.addPod({ restartPolicy: 'Never' });
    expect(world.conditions()['ConfigIssue']).toBe('True UnsupportedOnFargate');
  });

  it.each(['Never', 'OnFailure'])('fails for restartPolicy %s', async (restartPolicy) => {
    const world = await refusing();
    await world.addPod({ restartPolicy });
    expect(world.status()).toMatchObject({ phase: 'Failed', reason: 'UnsupportedOnFargate', message: TEXT });
    await world.pass(10 * 60_000);
    expect(world.events()).toEqual([`UnsupportedOnFargate: ${TEXT}`]);
  });

  it('runs once it no longer asks for it', async () => {
    const world = await refusing();
    await world.addPod();
    world.provider.preparation = undefined;
    world.kubernetes.updatePod('default', 'web', (pod) => ({
      ...pod,
      metadata: { ...pod.metadata, annotations: { 'svk.dev/late-env': 'shell' } },
    }));
    await world.pass(60_000);
    await world.happens(() => world.provider.run(world.workload.id));
    expect(world.status().phase).toBe('Running');
    expect(world.status()).not.toHaveProperty('reason');
    expect(world.status()).not.toHaveProperty('message');
  });

  it('goes when it is deleted', async () => {
    const world = await refusing();
    await world.addPod();
    world.kubernetes.deletePod('default', 'web');
    await world.settle();
    expect(world.kubernetes.findPod('default', 'web')).toBeUndefined();
    expect(world.podStore.rows()).toEqual([]);
  });

  it('what the service itself takes for invalid is refused in the same way', async () => {
    const world = await PodWorld.create();
    world.provider.faults.nextLaunch({ kind: 'refused', cause: 'invalid', final: true, message: 'Invalid CPU value' });
    await world.addPod({ restartPolicy: 'Never' });
    expect(world.status()).toMatchObject({
      phase: 'Failed',
      reason: 'UnsupportedOnFargate',
      message: 'spec: Invalid CPU value',
    });
  });

  it('what is only different is told once, and runs', async () => {
    const world = await PodWorld.create();
    world.provider.preparation = ({ metadata }) => ({
      ok: true,
      prepared: { podUid: metadata?.uid ?? '', containers: [{ name: 'main', image: 'nginx' }] },
      notes: [{ field: 'spec.hostname', message: 'the hostname is the one of the task' }],
      summary: '0.25 vCPU, 512 MiB',
    });
    await world.addPod();
    await world.happens(() => world.provider.exit(world.workload.id, 1));
    expect(world.provider.workloads()).toHaveLength(2);
    expect(world.events().filter((event) => event.startsWith('IgnoredOnFargate'))).toEqual([
      'IgnoredOnFargate: spec.hostname: the hostname is the one of the task',
    ]);
  });
});
