import { describe, expect, it } from 'vitest';
import { PodController } from '../../../../src/controllers/pod/pod-controller.ts';
import type { Pod, PodSpec } from '../../../../src/model/kubernetes.ts';
import type { Workload } from '../../../../src/model/workload.ts';
import { MockProvider } from '../../../../src/providers/mock/mock-provider.ts';
import { FakeClock, SeededRandom } from '../../../fakes/clock.ts';
import { FakeKubernetes } from '../../../fakes/kubernetes/fake-kubernetes.ts';
import { FakeWorkQueue } from '../../../fakes/queue/fake-work-queue.ts';
import { FakeNodeStore } from '../../../fakes/stores/fake-node-store.ts';
import { FakePodStore } from '../../../fakes/stores/fake-pod-store.ts';
import { RecordingLogger } from '../../../support/recording-logger.ts';

const { signal } = new AbortController();

const THREE: PodSpec = {
  initContainers: [{ name: 'setup', image: 'init' }],
  containers: [
    { name: 'foo', image: 'foo' },
    { name: 'bar', image: 'bar' },
    { name: 'baz', image: 'baz' },
  ],
};

/**
 * The pod controller on the mock. Every change the mock tells of is observed, as in a process. With `before` another
 * process begins, which knows nothing, on the same cluster.
 */
const worldOf = async (before?: { readonly clock: FakeClock; readonly kubernetes: FakeKubernetes }) => {
  const clock = before?.clock ?? new FakeClock();
  const kubernetes = before?.kubernetes ?? new FakeKubernetes({ clock });
  const podStore = new FakePodStore({ clock });
  const nodeStore = new FakeNodeStore();
  const { uid: clusterId } = (await kubernetes.cluster.namespace('kube-system', signal)).metadata ?? {};
  await nodeStore.put('vk', { adoptedAt: clock.now(), clusterId });
  const gone: Pod[] = [];
  kubernetes.onPod((change, pod) => {
    if (change === 'DELETED') gone.push(pod);
  });
  const provider = new MockProvider({ clock, random: new SeededRandom(1) });
  const changes: Workload[] = [];
  provider.watch((workload) => changes.push(workload));
  const controller = new PodController({
    kubernetes,
    provider,
    podStore,
    nodeStore,
    queue: new FakeWorkQueue(clock),
    clock,
    random: new SeededRandom(2),
    logger: new RecordingLogger(),
  });
  const sync = async (pod: Pod): Promise<void> => {
    const { uid = '', name = '', namespace = '' } = pod.metadata ?? {};
    await podStore.wake({ v: 1, kind: 'wake', reason: 'watch', uid, name, namespace, node: 'vk' });
    await controller.reconcile(uid, signal);
    for (const change of changes.splice(0))
      if (await podStore.observe(change)) await controller.reconcile(change.podUid ?? '', signal);
  };
  const add = (spec: PodSpec): Pod =>
    kubernetes.addPod({ metadata: { name: 'web' }, spec: { nodeName: 'vk', ...spec } });
  return { clock, kubernetes, gone, provider, sync, add };
};

describe('a pod on the mock', () => {
  it('of three containers is Running and Ready after one look at it', async () => {
    const { kubernetes, sync, add } = await worldOf();
    await sync(add(THREE));
    const status = kubernetes.findPod('default', 'web')?.status;
    expect(status).toMatchObject({ phase: 'Running', podIP: '5.6.7.8' });
    expect(status?.conditions?.find(({ type }) => type === 'Ready')?.status).toBe('True');
    expect(status?.containerStatuses?.map(({ name, ready, restartCount }) => [name, ready, restartCount])).toEqual([
      ['foo', true, 0],
      ['bar', true, 0],
      ['baz', true, 0],
    ]);
    expect(status?.initContainerStatuses?.[0]?.state?.terminated).toMatchObject({ exitCode: 0, reason: 'Completed' });
    const reasons = kubernetes.events.list.map(({ reason }) => reason);
    expect(reasons.filter((reason) => reason === 'Started')).toHaveLength(3);
    // There is no size to tell.
    expect(reasons).not.toContain('FargateSize');
  });

  it('L-09 has failed at once after a restart of the process, for nothing of it is left', async () => {
    const before = await worldOf();
    const pod = before.add(THREE);
    await before.sync(pod);
    const { kubernetes, provider, sync } = await worldOf(before);
    await sync(pod);
    expect(kubernetes.findPod('default', 'web')?.status).toMatchObject({ phase: 'Failed', reason: 'TaskLost' });
    expect(await provider.find(pod.metadata?.uid ?? '')).toEqual([]);
  });

  it('is gone as soon as it is deleted, whatever its grace', async () => {
    const { kubernetes, gone, provider, sync, add } = await worldOf();
    const pod = add({ ...THREE, terminationGracePeriodSeconds: 3_600 });
    await sync(pod);
    kubernetes.deletePod('default', 'web');
    await sync(pod);
    expect(kubernetes.findPod('default', 'web')).toBeUndefined();
    const { phase, containerStatuses } = gone[0]?.status ?? {};
    expect(phase).toBe('Succeeded');
    expect(containerStatuses?.map(({ state }) => state?.terminated?.reason)).toEqual([
      'MockProviderPodContainerDeleted',
      'MockProviderPodContainerDeleted',
      'MockProviderPodContainerDeleted',
    ]);
    expect(await provider.find(pod.metadata?.uid ?? '')).toMatchObject([{ phase: 'stopped' }]);
  });
});
