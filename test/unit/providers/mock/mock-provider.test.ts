import { describe, expect, it } from 'vitest';
import type { Pod } from '../../../../src/model/kubernetes.ts';
import type { Workload } from '../../../../src/model/workload.ts';
import { MockProvider } from '../../../../src/providers/mock/mock-provider.ts';
import { FakeClock, SeededRandom } from '../../../fakes/clock.ts';

const POD: Pod = {
  metadata: { uid: 'u-1', name: 'web' },
  spec: {
    initContainers: [
      { name: 'setup', image: 'busybox' },
      { name: 'proxy', image: 'envoy', restartPolicy: 'Always' },
    ],
    containers: [
      { name: 'web', image: 'nginx' },
      { name: 'log', image: 'fluentd' },
    ],
  },
};

const worldOf = () => {
  const clock = new FakeClock('2030-01-01T00:00:00Z');
  const provider = new MockProvider({ clock, random: new SeededRandom(1) });
  const launch = async (attempt = 1, pod: Pod = POD): Promise<Workload> => {
    const preparation = provider.prepare(pod);
    if (!preparation.ok) throw new Error('refused');
    const request = await provider.provision(preparation.prepared, {
      podUid: pod.metadata?.uid ?? '',
      attempt,
      try: 1,
    });
    const result = await provider.launch(request);
    if (result.kind !== 'started') throw new Error(result.message);
    return result.workload;
  };
  return { clock, provider, launch };
};
const stop = { graceSeconds: 30, reason: 'the pod was deleted' };
const stopped = (provider: MockProvider) => provider.list({ stopped: true });
const idsIn = async (workloads: AsyncIterable<Workload>): Promise<readonly string[]> => {
  const ids: string[] = [];
  for await (const { id } of workloads) ids.push(id);
  return ids;
};

describe('the mock provider', () => {
  it('runs every container at once; init containers have done their work', async () => {
    const { launch } = worldOf();
    const workload = await launch();
    expect(workload).toMatchObject({ phase: 'running', ips: ['5.6.7.8'], startedAt: 1_893_456_000_000 });
    expect(workload.containers.map(({ name, image, state, exitCode }) => ({ name, image, state, exitCode }))).toEqual([
      { name: 'setup', image: 'busybox', state: 'terminated', exitCode: 0 },
      { name: 'proxy', image: 'envoy', state: 'running', exitCode: undefined },
      { name: 'web', image: 'nginx', state: 'running', exitCode: undefined },
      { name: 'log', image: 'fluentd', state: 'running', exitCode: undefined },
    ]);
  });

  it('ends containers by virtual-kubelet’s reason, those that had ended stay as they were', async () => {
    const { clock, provider, launch } = worldOf();
    const { id } = await launch();
    await clock.advance(5_000);
    await provider.stop(id, stop);
    const [workload] = (await provider.describe([id])).workloads;
    expect(workload).toMatchObject({
      phase: 'stopped',
      version: 2,
      stoppedAt: 1_893_456_005_000,
      end: { kind: 'requested', reason: 'MockProviderPodDeleted', message: 'the pod was deleted' },
    });
    expect(workload?.containers.map(({ exitCode, reason }) => [exitCode, reason])).toEqual([
      [0, undefined],
      [0, 'MockProviderPodContainerDeleted'],
      [0, 'MockProviderPodContainerDeleted'],
      [0, 'MockProviderPodContainerDeleted'],
    ]);
    expect(workload?.containers[2]?.message).toBe('Mock provider terminated container upon deletion');
  });

  it('never gives two workloads one name, in whatever process', async () => {
    const first = await worldOf().launch();
    const clock = new FakeClock();
    const other = new MockProvider({ clock, random: new SeededRandom(2) });
    const result = await other.launch(await other.provision([], { podUid: 'u-1', attempt: 1, try: 1 }));
    expect(result).toMatchObject({ kind: 'started' });
    expect(result.kind === 'started' && result.workload.id).not.toBe(first.id);
  });

  it('forgets a workload, and its token, an hour after its end', async () => {
    const { clock, provider, launch } = worldOf();
    const ended = await launch(1);
    await provider.stop(ended.id, stop);
    const live = await launch(2);
    await clock.advance(3_600_000);
    await provider.collect();
    expect(await idsIn(stopped(provider))).toEqual([ended.id, live.id]);
    expect((await launch(1)).id).toBe(ended.id);
    await clock.advance(1);
    await provider.collect();
    expect(await idsIn(stopped(provider))).toEqual([live.id]);
    expect((await launch(1)).id).not.toBe(ended.id);
  });

  it('invents a CPU time that grows by the load it tells, and a load that moves', async () => {
    const { clock, provider, launch } = worldOf();
    await launch();
    const read = async () => {
      const [figures] = await provider.stats();
      return figures?.containers ?? [];
    };
    const before = await read();
    expect(before.map(({ name }) => name)).toEqual(['proxy', 'web', 'log']);
    const loads = new Set<number | undefined>();
    let last = before;
    for (let second = 1; second <= 240; second += 1) {
      await clock.advance(1_000);
      const now = await read();
      for (const [index, { cpu, memory }] of now.entries()) {
        const grown = (cpu?.usageCoreNanoSeconds ?? 0) - (last[index]?.cpu?.usageCoreNanoSeconds ?? 0);
        const load = ((cpu?.usageNanoCores ?? 0) + (last[index]?.cpu?.usageNanoCores ?? 0)) / 2;
        expect(grown).toBeGreaterThan(0);
        expect(grown / load).toBeCloseTo(1, 2);
        expect(memory?.workingSetBytes).toBeGreaterThan(14 * 1024 * 1024);
        expect(memory?.workingSetBytes).toBeLessThan(570 * 1024 * 1024);
      }
      loads.add(now[0]?.cpu?.usageNanoCores);
      last = now;
    }
    expect(loads.size).toBeGreaterThan(50);
  });

  it('tells every listener until it has had enough', async () => {
    const { provider, launch } = worldOf();
    const seen: string[] = [];
    const end = provider.watch(({ id, version }) => seen.push(`first ${id} ${version}`));
    provider.watch(({ id, version }) => seen.push(`second ${id} ${version}`));
    const { id } = await launch();
    end();
    await provider.stop(id, stop);
    await provider.stop(id, stop);
    expect(seen).toEqual([`first ${id} 1`, `second ${id} 1`, `second ${id} 2`]);
  });
});
