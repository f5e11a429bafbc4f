import { describe, expect, it } from 'vitest';
import { bodyOf, KubeletWorld } from './kubelet-world.ts';

const STARTED = Date.parse('2030-01-01T00:00:00Z');

/** A node with no pods, whose provider has figures. */
const idleNode = (): KubeletWorld => {
  const world = new KubeletWorld();
  Object.assign(world.provider, { stats: async () => [] });
  return world;
};

describe('A-11 an agent that scrapes every node', () => {
  it('finds what it looks for, also where no pod runs', async () => {
    const world = idleNode();
    expect(JSON.parse(await bodyOf(await world.get('/pods')))).toEqual({
      kind: 'PodList',
      apiVersion: 'v1',
      metadata: {},
      items: [],
    });
    const summary = JSON.parse(await bodyOf(await world.get('/stats/summary'))) as {
      readonly node: { readonly nodeName: string };
      readonly pods: readonly unknown[];
    };
    expect([summary.node.nodeName, summary.pods]).toEqual(['vk-a', []]);
    for (const path of ['/metrics', '/metrics/resource', '/metrics/cadvisor', '/metrics/probes']) {
      const response = await world.get(path);
      expect([path, response.status, response.headers['content-type']]).toEqual([
        path,
        200,
        'text/plain; version=0.0.4; charset=utf-8',
      ]);
      // A text of Prometheus ends with a line feed, or is empty.
      expect(await bodyOf(response)).toMatch(/(^|\n)$/);
    }
    expect(await bodyOf(await world.get('/healthz'))).toBe('ok');
    expect((await world.get('/configz')).status).toBe(200);
  });

  it('sees times that move', async () => {
    const world = idleNode();
    const uid = world.addPod('web');
    const app = (at: number) => ({
      name: 'app',
      startedAt: STARTED,
      at,
      cpu: { usageCoreNanoSeconds: 1e9, usageNanoCores: 1 },
      memory: { workingSetBytes: 1 },
    });
    Object.assign(world.provider, {
      stats: async () => [{ workloadId: 'w', podUid: uid, startedAt: STARTED, containers: [app(world.clock.now())] }],
    });
    const times = async (): Promise<readonly string[]> =>
      [...(await bodyOf(await world.get('/metrics/resource'))).matchAll(/^pod_cpu.* (\d+)$/gm)].map(
        ([, at = '']) => at,
      );
    const before = await times();
    await world.clock.advance(60_000);
    const after = await times();
    expect(before).toHaveLength(1);
    expect(Number(after[0]) - Number(before[0])).toBe(60_000);
  });

  it.each(['/spec', '/stats', '/stats/container', '/debug/pprof/', '/flagz', '/checkpoint/a/b/c', '/metrics/slis/x'])(
    'is told at once that there is no %s',
    async (path) => {
      const world = idleNode();
      expect((await world.get(path)).status).toBe(404);
      expect(world.provider.calls).toEqual([]);
    },
  );
});
